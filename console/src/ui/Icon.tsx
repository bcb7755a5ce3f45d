import { hueOf, kindNamed } from '../api/kinds.ts'
import { icons, type IconName } from './icons.ts'

/** An icon; beside a text it says nothing, alone it needs a name on its button. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <path d={icons[name]} />
  </svg>
)

/** The icon of a kind in the colour of its group. */
export const KindIcon = ({ kind, size = 18, badge = false }: { kind: string; size?: number; badge?: boolean }) => {
  const { icon, group } = kindNamed(kind)
  return (
    <span
      className={badge ? 'kind-icon kind-badge' : 'kind-icon'}
      style={{ '--hue': hueOf[group] } as React.CSSProperties}
    >
      <Icon name={icon} size={size} />
    </span>
  )
}
