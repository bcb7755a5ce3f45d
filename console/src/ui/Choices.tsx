import type { ReactNode } from 'react'

interface Options<T extends string> {
  readonly legend: ReactNode
  /** All choices with their labels, in order. */
  readonly all: readonly (readonly [T, string])[]
  readonly chosen: readonly T[]
  readonly onChange: (chosen: T[]) => void
}

/** Checkboxes, any number of which is chosen. */
export const Choices = <T extends string>({ legend, all, chosen, onChange }: Options<T>) => (
  <fieldset className="field">
    <legend>{legend}</legend>
    <div className="choices">
      {all.map(([value, label]) => (
        <label key={value} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() =>
              onChange(all.flatMap(([each]) => ((each === value) !== chosen.includes(each) ? [each] : [])))
            }
          />
          {label}
        </label>
      ))}
    </div>
  </fieldset>
)
