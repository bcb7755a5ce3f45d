import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Reference } from '../api/types.ts'
import { Avatar } from './Avatar.tsx'
import { lastName } from './format.ts'
import { KindIcon } from './Icon.tsx'

/** A moment of all entities is kept from page to page: an instant or a log position, but not one entity's version. */
export const sharedMoment = (asOf: string | undefined): string | undefined =>
  asOf !== undefined && (/^@?\d+$/.test(asOf) || asOf.includes('T')) ? asOf : undefined

interface EntityLinkProps {
  readonly reference: Pick<Reference, 'type' | 'fullyQualifiedName'> & Partial<Reference>
  readonly icon?: boolean
  /** Show the fully qualified name. */
  readonly full?: boolean
  readonly children?: ReactNode
  readonly className?: string
}

/** The lineages of all tables have the same name: what tells them apart is the table. */
const lineageName = ({ type, fullyQualifiedName }: EntityLinkProps['reference']): string | undefined =>
  type === 'lineage'
    ? `Lineage of ${lastName(fullyQualifiedName.slice(0, fullyQualifiedName.lastIndexOf('.')))}`
    : undefined

const principal = new Set(['user', 'team'])

/** A link to an entity's page; who walks through the past stays there. */
export const EntityLink = ({ reference, icon = true, full = false, children, className = '' }: EntityLinkProps) => {
  const { asOf } = useSearch({ strict: false }) as { asOf?: string }
  const { type, name, displayName, fullyQualifiedName, deleted } = reference
  const label = full ? fullyQualifiedName : (displayName ?? lineageName(reference) ?? name ?? fullyQualifiedName)
  const moment = sharedMoment(asOf)
  return (
    <Link
      to="/$kind/$fqn"
      params={{ kind: type, fqn: fullyQualifiedName }}
      search={moment === undefined ? {} : { asOf: moment }}
      className={`entity-link ${deleted ? 'is-deleted' : ''} ${className}`}
      title={fullyQualifiedName}
    >
      {icon &&
        (principal.has(type) && type === 'user' ? (
          <Avatar name={label} size={20} />
        ) : (
          <KindIcon kind={type} size={16} />
        ))}
      <span>{children ?? label}</span>
    </Link>
  )
}
