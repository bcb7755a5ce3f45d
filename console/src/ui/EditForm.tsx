import { createContext, type ReactNode, type Ref } from 'react'
import { useDraft } from './useDraft.ts'

/** Is nothing left in the fields of a form's pickers that was written and not chosen? Else it says so there. */
export const isAllChosen = (form: HTMLFormElement): boolean =>
  [...form.querySelectorAll<HTMLInputElement>('.picker input')].every((input) => input.reportValidity())

/** Asks whether what was written in the form around may be lost. */
export const MayLose = createContext((): boolean => true)

interface EditFormProps {
  readonly className: string
  readonly busy: boolean
  readonly onSave: () => void
  /** What Escape does; left out: nothing. */
  readonly onCancel?: () => void
  readonly ref?: Ref<HTMLFormElement>
  readonly children: ReactNode
}

/** A form in which something is written and saved: Ctrl+Enter saves, Escape cancels, and nothing is lost unasked. */
export const EditForm = ({ className, busy, onSave, onCancel, ref, children }: EditFormProps) => {
  const { fields, mayLose } = useDraft(busy)
  return (
    <form
      ref={ref}
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (isAllChosen(event.currentTarget)) onSave()
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Escape' && onCancel !== undefined && mayLose()) onCancel()
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) {
          event.preventDefault()
          event.currentTarget.requestSubmit()
        }
      }}
    >
      <MayLose value={mayLose}>
        <fieldset {...fields}>{children}</fieldset>
      </MayLose>
    </form>
  )
}
