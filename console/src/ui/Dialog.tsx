import { useEffect, useRef, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { isAllChosen } from './EditForm.tsx'
import type { IconName } from './icons.ts'
import { Problems, type Labels } from './States.tsx'
import { useDraft } from './useDraft.ts'
import { useFocusBack } from './useFocusBack.ts'

/** What a dialog asks about: its button does it, and so does Enter in a field. */
export interface DialogAction {
  readonly words: string
  /** While it runs the dialog stays as it is; what goes wrong is shown in it. */
  readonly by: { readonly isPending?: boolean; readonly error?: unknown; readonly mutate: () => void }
  readonly look?: 'primary' | 'danger'
  readonly icon?: IconName
  readonly disabled?: boolean
  /** What the fields are called that the API may find something wrong with. */
  readonly labels?: Labels
}

interface DialogProps {
  readonly title: string
  /** Left out: only its own buttons close it. */
  readonly onClose?: () => void
  readonly children: ReactNode
  readonly action?: DialogAction | undefined
  /** Other buttons. */
  readonly actions?: ReactNode
  readonly wide?: boolean
  /** What it asked about is being done. */
  readonly busy?: boolean
  /** It holds what would be lost, and was not written here. */
  readonly unsaved?: boolean
}

const firstField = '.dialog-content :is(input:not([type="checkbox"], [type="radio"]), textarea, select)'

/** A modal dialog of the platform: it keeps the focus and gives it back, and Escape closes it. */
export const Dialog = ({
  title,
  onClose,
  children,
  action,
  actions,
  wide = false,
  busy = action?.by.isPending ?? false,
  unsaved = false,
}: DialogProps) => {
  const { fields, mayLose } = useDraft(busy, unsaved)
  const element = useRef<HTMLDialogElement>(null)
  useFocusBack()
  useEffect(() => {
    const dialog = element.current
    if (dialog === null) return undefined
    if (!dialog.open) dialog.showModal()
    dialog.querySelector<HTMLElement>(firstField)?.focus()
    return () => dialog.close()
  }, [])
  const close = (): void => {
    if (onClose !== undefined && !busy && mayLose()) onClose()
  }
  return (
    <dialog
      ref={element}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-label={title}
      aria-busy={busy || undefined}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      // A browser closes it at the second Escape, whatever was said to the first.
      onClose={() => element.current?.showModal()}
      onClick={(event) => {
        if (event.target === element.current) close()
      }}
    >
      <form
        className="dialog-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isAllChosen(event.currentTarget)) action?.by.mutate()
        }}
      >
        <fieldset {...fields}>
          <header className="dialog-head">
            <h2>{title}</h2>
            {onClose && <Button look="quiet" icon="close" label="Close" onClick={close} />}
          </header>
          <div className="dialog-content">{children}</div>
          {action && <Problems error={action.by.error} labels={action.labels} />}
          {(action ?? actions) && (
            <footer className="dialog-actions">
              {actions}
              {action && (
                <>
                  <Button onClick={onClose}>Cancel</Button>
                  <Button
                    look={action.look ?? 'primary'}
                    type="submit"
                    icon={action.icon}
                    busy={busy}
                    disabled={action.disabled}
                  >
                    {action.words}
                  </Button>
                </>
              )}
            </footer>
          )}
        </fieldset>
      </form>
    </dialog>
  )
}
