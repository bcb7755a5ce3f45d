import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, type FocusEvent, type FormEvent } from 'react'

/**
 * Keeps what somebody writes from being lost: whoever leaves the page is asked first, and nothing can be written while
 * it is being saved.
 * @param unsaved something was written before this was shown
 */
export const useDraft = (busy: boolean, unsaved = false) => {
  const written = useRef(false)
  const isWritten = (): boolean => written.current || unsaved
  const mayLose = (): boolean => !isWritten() || confirm('Leave without saving what you wrote?')
  useBlocker({ shouldBlockFn: () => !mayLose(), enableBeforeUnload: isWritten })
  const focused = useRef<HTMLElement>(null)
  useEffect(() => {
    // What was disabled has lost the focus to the page, or a dialog about it could only give it back to the page.
    if (!busy && document.activeElement?.matches('body, main')) focused.current?.focus()
  }, [busy])
  return {
    mayLose,
    /** Of a fieldset around all that is written. */
    fields: {
      className: 'draft',
      disabled: busy,
      onFocus: ({ target }: FocusEvent<HTMLElement>) => {
        focused.current = target
      },
      onInput: ({ nativeEvent }: FormEvent) => {
        // What is ticked or chosen is another kind of event, and quickly done again.
        if (nativeEvent instanceof InputEvent) written.current = true
      },
    },
  }
}
