import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import type { IconName } from './icons.ts'

interface PopoverProps {
  readonly label: string
  readonly icon?: IconName
  /** What the button shows; left out, the icon alone. */
  readonly face?: ReactNode
  readonly look?: 'plain' | 'quiet' | 'primary'
  readonly align?: 'start' | 'end'
  readonly children: (close: () => void) => ReactNode
}

/** A button that opens a box below it; a click elsewhere, Escape, and leaving it with Tab close it. */
export const Popover = ({ label, icon, face, look = 'quiet', align = 'end', children }: PopoverProps) => {
  const [open, setOpen] = useState(false)
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!open) return undefined
    const outside = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', outside)
    document.addEventListener('focusin', outside)
    return () => {
      document.removeEventListener('pointerdown', outside)
      document.removeEventListener('focusin', outside)
    }
  }, [open])
  const close = (): void => {
    setOpen(false)
    root.current?.querySelector('button')?.focus()
  }
  return (
    <div
      className="popover-root"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return
        event.stopPropagation()
        close()
      }}
    >
      <Button
        look={look}
        {...(icon && { icon })}
        label={label}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {face}
      </Button>
      {open && (
        <div className={`popover ${align}`} id={id} role="group" aria-label={label}>
          {children(close)}
        </div>
      )}
    </div>
  )
}
