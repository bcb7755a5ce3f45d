import type { ReactNode } from 'react'
import { kindNamed } from '../api/kinds.ts'
import type { Entity, Reference } from '../api/types.ts'
import { isReference } from '../entity/parts.ts'
import { testedIn } from '../entity/references.ts'
import { ResultBadge } from '../entity/TestResults.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { Tag } from '../ui/Tag.tsx'
import { Ago } from '../ui/Time.tsx'
import { firstLine } from '../ui/firstLine.ts'

/** A column of a list. */
export interface ListColumn {
  readonly name: string
  readonly title: string
  /** How wide it is beside the others. */
  readonly width: number
  /** The narrowest that it can be read at, in pixels. */
  readonly least?: number
  /** What a search is sorted by, for those that can be. */
  readonly sort?: string
  readonly show: (entity: Entity) => ReactNode
}

const Some = ({ references = [] }: { references?: readonly Reference[] | undefined }) => (
  <>
    {references.slice(0, 2).map((reference) => (
      <EntityLink key={reference.id} reference={reference} />
    ))}
    {references.length > 2 && ` +${references.length - 2}`}
  </>
)

const path: ListColumn = {
  name: 'path',
  title: 'Fully qualified name',
  width: 1.5,
  show: ({ fullyQualifiedName }) => <span className="list-path">{fullyQualifiedName}</span>,
}
const owner: ListColumn = {
  name: 'owner',
  title: 'Owner',
  width: 0.8,
  show: ({ owners }) => <Some references={owners} />,
}
const domain: ListColumn = {
  name: 'domain',
  title: 'Domain',
  width: 0.7,
  show: ({ domains }) => <Some references={domains} />,
}
const description: ListColumn = {
  name: 'description',
  title: 'Description',
  width: 1.6,
  show: (entity) => firstLine(entity.description),
}
const tags: ListColumn = {
  name: 'tags',
  title: 'Tags',
  width: 0.9,
  show: ({ tags: [first, ...others] = [] }) => (
    <span className="tags list-tags">
      {first && <Tag tag={first} />}
      {others.length > 0 && <small title={others.map(({ tagFQN }) => tagFQN).join('\n')}>+{others.length}</small>}
    </span>
  ),
}
const status: ListColumn = { name: 'status', title: 'Status', width: 0.6, show: ({ entityStatus }) => entityStatus }
const version: ListColumn = {
  name: 'version',
  title: 'Version',
  width: 0.4,
  show: (entity) => entity.version.toFixed(1),
}
const updated: ListColumn = {
  name: 'updated',
  title: 'Changed',
  width: 0.7,
  least: 132,
  sort: 'updatedAt',
  show: ({ updatedAt }) => <Ago time={updatedAt} />,
}

const latestOf = (entity: Entity) => entity['latestResult'] as { readonly timestamp?: number } | undefined

/** Columns that one kind alone has. */
const own: Readonly<Record<string, readonly ListColumn[]>> = {
  testCase: [
    {
      name: 'asset',
      title: 'Asset',
      width: 1.3,
      show: (entity) => {
        const tested = testedIn(entity)
        return tested && <EntityLink reference={tested}>{String(entity['entityFQN'])}</EntityLink>
      },
    },
    { name: 'result', title: 'Result', width: 0.5, show: (entity) => <ResultBadge result={latestOf(entity)} /> },
    {
      name: 'lastRun',
      title: 'Last run',
      width: 0.7,
      least: 132,
      show: (entity) => {
        const time = latestOf(entity)?.timestamp
        return time === undefined ? undefined : <Ago time={time} />
      },
    },
  ],
  dataContract: [
    {
      name: 'asset',
      title: 'Asset',
      width: 1.3,
      show: (entity) => <Some references={[entity['entity']].filter(isReference)} />,
    },
    {
      name: 'result',
      title: 'Result',
      width: 0.6,
      show: (entity) => <ResultBadge result={latestOf(entity)} none="not validated" />,
    },
  ],
}

/** All columns that a list of a kind can have beside the name, those first that it has at the beginning. */
export const columnsFor = (kind: string): readonly ListColumn[] => {
  const first = own[kind] ?? (kindNamed(kind).group === 'people' ? [path] : [])
  const usual = own[kind] === undefined ? [owner, domain, description, tags, updated] : [owner, updated]
  return [...new Set([...first, ...usual, path, domain, description, tags, status, version])]
}

const initially = (kind: string): readonly ListColumn[] =>
  columnsFor(kind).slice(0, own[kind] === undefined ? 5 : own[kind].length + 2)

/** The columns that an address names, or those at the beginning. */
export const columnsShown = (kind: string, names: string | undefined): readonly ListColumn[] =>
  names === undefined ? initially(kind) : columnsFor(kind).filter(({ name }) => names.split(',').includes(name))
