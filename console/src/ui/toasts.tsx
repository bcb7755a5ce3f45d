import { useSyncExternalStore } from 'react'
import { Problem } from '../api/client.ts'
import { Button } from './Button.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly bad: boolean
}

let toasts: readonly Toast[] = []
let next = 1
const listeners = new Set<() => void>()

const change = (changed: readonly Toast[]): void => {
  toasts = changed
  for (const listener of listeners) listener()
}

const dismiss = (id: number): void => change(toasts.filter((toast) => toast.id !== id))

/** Says something in the corner for some seconds; what went wrong stays until it is closed. */
export const toast = (text: string, bad = false): void => {
  const id = next++
  change([...toasts.slice(-3), { id, text, bad }])
  if (!bad) setTimeout(() => dismiss(id), 5_000)
}

const overtaken = 'Somebody has changed this meanwhile. Look at it again, and go on if that is still what you want.'

/** What went wrong, in words for people. */
export const messageOf = (error: unknown): string =>
  error instanceof Problem && error.status === 412 ? overtaken : error instanceof Error ? error.message : String(error)

export const toastError = (error: unknown): void => toast(messageOf(error), true)

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const Toasts = () => {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, bad }) => (
        <div key={id} className={bad ? 'toast bad' : 'toast'}>
          <span>{text}</span>
          <Button look="quiet" icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
