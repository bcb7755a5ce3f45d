import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import type { IconName } from './icons.ts'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger'
  readonly icon?: IconName | undefined
  readonly children?: ReactNode
  /** The name of a button that shows an icon alone. */
  readonly label?: string
  /** It is being done: further clicks do nothing, and the focus stays. */
  readonly busy?: boolean
}

export const Button = ({
  look = 'plain',
  icon,
  children,
  label,
  busy = false,
  className = '',
  ...rest
}: ButtonProps) => (
  <button
    type="button"
    {...rest}
    className={`button ${look} ${children === undefined ? 'icon-only' : ''} ${className}`}
    aria-label={label}
    title={rest.title ?? label}
    aria-busy={busy || undefined}
    aria-disabled={busy || undefined}
    onClick={busy ? (event) => event.preventDefault() : rest.onClick}
  >
    {icon && <Icon name={icon} size={16} />}
    {children}
  </button>
)
