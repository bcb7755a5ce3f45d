import { useEffect, useRef, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { useDraft } from './useDraft.ts'
import { useFocusBack } from './useFocusBack.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly actions?: ReactNode
  readonly wide?: boolean
  /** What is written in it is being saved. */
  readonly busy?: boolean
}

/** A modal dialog of the platform: it keeps the focus and gives it back, and Escape closes it. */
export const Dialog = ({ title, onClose, children, actions, wide = false, busy = false }: DialogProps) => {
  const { fields, mayLose } = useDraft(busy)
  const element = useRef<HTMLDialogElement>(null)
  useFocusBack()
  useEffect(() => {
    const dialog = element.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        if (mayLose()) onClose()
      }}
      onClick={(event) => {
        if (event.target === element.current && mayLose()) onClose()
      }}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2>{title}</h2>
          <Button look="quiet" icon="close" label="Close" onClick={() => mayLose() && onClose()} />
        </header>
        <fieldset {...fields}>
          <div className="dialog-content">{children}</div>
        </fieldset>
        {actions && <footer className="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  )
}
