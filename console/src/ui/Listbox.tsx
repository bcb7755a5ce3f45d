import { useEffect, useId, useState, type ReactNode } from 'react'
import type { Reference } from '../api/types.ts'

/** What a combobox offers, one of which the arrow keys mark. It stays marked when further ones come, wherever it stands then. */
export const useListbox = (shown: readonly Reference[]) => {
  const list = useId()
  const [id, mark] = useState<string>()
  const active = shown.findIndex((each) => each.id === id)
  const option = active < 0 ? undefined : `${list}-${active}`
  useEffect(() => {
    if (option !== undefined) document.getElementById(option)?.scrollIntoView({ block: 'nearest' })
  }, [option])
  const count = shown.length + 1
  return {
    list,
    shown,
    marked: shown[active],
    /** From the last one, or back from the first, nothing is marked. */
    move: (by: 1 | -1): void => mark(shown[((active + 1 + by + count) % count) - 1]?.id),
    unmark: (): void => mark(undefined),
    combobox: {
      role: 'combobox',
      'aria-expanded': shown.length > 0,
      'aria-controls': list,
      'aria-autocomplete': 'list',
      'aria-activedescendant': option,
      autoComplete: 'off',
    } as const,
  }
}

interface ListboxProps {
  readonly of: ReturnType<typeof useListbox>
  readonly label: string
  readonly className: string
  readonly choose: (reference: Reference) => void
  readonly children: (reference: Reference) => ReactNode
}

/** The focus stays in the combobox: a list that scrolls would take it with Tab, and lose it as it goes. */
export const Listbox = ({ of: { list, shown, marked }, label, className, choose, children }: ListboxProps) => (
  <div
    id={list}
    role="listbox"
    tabIndex={-1}
    aria-label={label}
    className={className}
    hidden={shown.length === 0}
    onPointerDown={(event) => event.preventDefault()}
  >
    {shown.map((reference, at) => (
      <div
        key={reference.id}
        id={`${list}-${at}`}
        role="option"
        aria-selected={reference === marked}
        onClick={() => choose(reference)}
      >
        {children(reference)}
      </div>
    ))}
  </div>
)
