import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { kindNamed, type Kind } from '../api/kinds.ts'
import { mayDo, ownFilter, useMe } from '../api/permissions.ts'
import { entityQuery, listQuery } from '../api/queries.ts'
import type { Column, Entity } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { Icon, KindIcon } from '../ui/Icon.tsx'
import { useMore } from '../ui/More.tsx'
import { columnsOf } from '../entity/columns.ts'
import { holdsPlace, rootOf, stepTo, useMoment, usePlace } from './place.ts'
import { sections } from './sections.ts'

const pageSize = 100

interface NodeProps {
  readonly label: ReactNode
  readonly level: number
  /** What stands below, rendered once the node is open; left out for leaves. */
  readonly children?: () => ReactNode
  readonly to?: { readonly kind: string; readonly fqn: string; readonly column?: string }
  readonly icon?: ReactNode
  readonly muted?: boolean
  /** The page shows something below it: it opens by itself. */
  readonly holds?: boolean
}

const Face = ({ label, icon, to }: Pick<NodeProps, 'label' | 'icon' | 'to'>) => {
  const asOf = useMoment()
  const content = (
    <>
      {icon}
      <span className="tree-label">{label}</span>
    </>
  )
  if (to === undefined) return <span className="tree-face">{content}</span>
  return (
    <Link
      className="tree-face"
      to="/$kind/$fqn"
      params={{ kind: to.kind, fqn: to.fqn }}
      search={{ ...(to.column !== undefined && { column: to.column }), ...(asOf !== undefined && { asOf }) }}
      tabIndex={-1}
    >
      {content}
    </Link>
  )
}

const Node = ({ label, level, children, to, icon, muted = false, holds = false }: NodeProps) => {
  const [open, setOpen] = useState(holds)
  useEffect(() => {
    if (holds) setOpen(true)
  }, [holds])
  const here = usePlace() === (to && to.column === undefined ? `${to.kind} ${to.fqn}` : undefined)
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (here) row.current?.scrollIntoView({ block: 'nearest' })
  }, [here])
  return (
    <li
      role="treeitem"
      aria-level={level}
      aria-expanded={children ? open : undefined}
      aria-selected={here}
      tabIndex={-1}
      className={muted ? 'tree-item muted' : 'tree-item'}
    >
      <div
        ref={row}
        className={here ? 'tree-row here' : 'tree-row'}
        style={{ '--level': level } as React.CSSProperties}
      >
        {children ? (
          <button type="button" className="twisty" tabIndex={-1} aria-hidden="true" onClick={() => setOpen(!open)}>
            <Icon name="chevron" size={14} />
          </button>
        ) : (
          <span className="twisty" />
        )}
        {to === undefined && children ? (
          <button type="button" className="tree-face" tabIndex={-1} onClick={() => setOpen(!open)}>
            {icon}
            <span className="tree-label">{label}</span>
          </button>
        ) : (
          <Face label={label} icon={icon} {...(to && { to })} />
        )}
      </div>
      {open && children && (
        <ul role="group" className="tree-group">
          {children()}
        </ul>
      )}
    </li>
  )
}

const Note = ({ children, level }: { children: ReactNode; level: number }) => (
  <li role="none" className="tree-note" style={{ '--level': level } as React.CSSProperties}>
    {children}
  </li>
)

const Again = ({ error, retry }: { error: Error; retry: () => void }) => (
  <>
    {error.message}{' '}
    <Button look="quiet" onClick={retry}>
      Try again
    </Button>
  </>
)

interface WaitingProps {
  readonly query: { readonly error: Error | null; readonly refetch: () => unknown }
  readonly level: number
}

/** Stands for what has not come, or could not. */
const Waiting = ({ query: { error, refetch }, level }: WaitingProps) => (
  <Note level={level}>{error === null ? '…' : <Again error={error} retry={() => void refetch()} />}</Note>
)

/** Columns or fields, nested as deep as they are. */
const Columns = ({ columns, entity, kind, level }: ColumnsProps) =>
  columns.map((column) => (
    <Node
      key={column.name}
      level={level}
      icon={<Icon name="column" size={14} />}
      label={
        <>
          {column.name} <span className="tree-type">{column.dataTypeDisplay ?? column.dataType?.toLowerCase()}</span>
        </>
      }
      to={{ kind, fqn: entity, column: column.fullyQualifiedName ?? column.name }}
      muted
      {...(column.children?.length && {
        children: () => <Columns columns={column.children ?? []} entity={entity} kind={kind} level={level + 1} />,
      })}
    />
  ))

interface ColumnsProps {
  readonly columns: readonly Column[]
  readonly entity: string
  readonly kind: string
  readonly level: number
}

/** The columns of an entity, asked for when it is opened. */
const ColumnsBelow = ({ kind, fqn, level }: { kind: Kind; fqn: string; level: number }) => {
  const query = useQuery({
    ...entityQuery(kind.name, fqn, useMoment()),
    placeholderData: keepPreviousData,
  })
  if (query.data === undefined) return <Waiting query={query} level={level} />
  const columns = columnsOf(query.data.entity, kind).flatMap(([, list]) => list)
  return columns.length === 0 ? (
    <Note level={level}>Nothing below</Note>
  ) : (
    <Columns columns={columns} entity={fqn} kind={kind.name} level={level} />
  )
}

const EntityNode = ({ kind, entity, level }: { kind: Kind; entity: Entity; level: number }) => {
  const { name, displayName, fullyQualifiedName } = entity
  const holds = holdsPlace(usePlace(), kind.name, fullyQualifiedName)
  const lists = kind.below ?? []
  const below = (): ReactNode => (
    <>
      {lists.map(([child, filter]) => (
        <Entities
          key={child + filter}
          kind={kindNamed(child)}
          filter={filter}
          parent={fullyQualifiedName}
          level={level + 1}
        />
      ))}
      {kind.trees && <ColumnsBelow kind={kind} fqn={fullyQualifiedName} level={level + 1} />}
    </>
  )
  return (
    <Node
      level={level}
      label={displayName ?? name}
      icon={<KindIcon kind={kind.name} size={16} />}
      to={{ kind: kind.name, fqn: fullyQualifiedName }}
      holds={holds}
      {...((lists.length > 0 || kind.trees) && { children: below })}
    />
  )
}

/** Lists without a filter have all of a kind: whoever has a parent of the same kind stands below that one. */
const isDirect = (entity: Entity, filter: string | undefined): boolean =>
  filter !== undefined || entity['parent'] === undefined

interface PageProps {
  readonly entities: readonly Entity[]
  readonly kind: Kind
  readonly filter: string | undefined
  readonly level: number
}

/** One page of a list: it stays as it is when further ones come below it, and is laid out only near what is seen. */
const Page = memo(({ entities, kind, filter, level }: PageProps) => (
  <li role="none" className="tree-page">
    <ul role="none">
      {entities
        .filter((entity) => isDirect(entity, filter))
        .map((entity) => (
          <EntityNode key={entity.id} kind={kind} entity={entity} level={level} />
        ))}
    </ul>
  </li>
))

/** What leads to the entity of the page, or is it, where the list has not come to it yet. */
const useFurtherOn = (
  kind: Kind,
  parent: string | undefined,
  shown: readonly Entity[] | undefined,
): Entity | undefined => {
  const step = stepTo(usePlace(), kind.name, parent)
  const isMissing = shown !== undefined && shown.every((entity) => entity.fullyQualifiedName !== step)
  const { data } = useQuery({
    ...entityQuery(kind.name, step ?? '', useMoment()),
    enabled: step !== undefined && isMissing,
    retry: false,
  })
  return isMissing && step !== undefined ? data?.entity : undefined
}

/** One list of the tree, page by page as it is scrolled to; what the page shows stands first until the list has come to it. */
const Entities = ({ kind, filter, parent, level }: EntitiesProps) => {
  const me = useMe()
  const may = mayDo(me, 'view', kind.name)
  const asOf = useMoment()
  const filters = {
    ...ownFilter(me, kind.name),
    asOf,
    ...(filter !== undefined && parent !== undefined && { [filter]: parent }),
  }
  const list = useInfiniteQuery({
    ...listQuery(kind.name, filters, pageSize),
    enabled: may,
    placeholderData: keepPreviousData,
  })
  const shown = list.hasNextPage ? list.data?.pages.flatMap(({ data }) => data) : undefined
  const further = useFurtherOn(kind, parent, shown)
  const end = useMore<HTMLLIElement>(list)
  if (!may) return null
  if (list.data === undefined) return <Waiting query={list} level={level} />
  return (
    <>
      {further && <EntityNode kind={kind} entity={further} level={level} />}
      {list.data.pages.map(({ data }, at) => (
        <Page key={at} entities={data} kind={kind} filter={filter} level={level} />
      ))}
      {list.hasNextPage && (
        <li role="none" ref={end} className="tree-note" style={{ '--level': level } as React.CSSProperties}>
          {list.isFetchNextPageError ? <Again error={list.error} retry={() => void list.fetchNextPage()} /> : '…'}
        </li>
      )}
    </>
  )
}

interface EntitiesProps {
  readonly kind: Kind
  readonly filter?: string
  readonly parent?: string
  readonly level: number
}

const items = (root: HTMLElement): HTMLElement[] => [...root.querySelectorAll<HTMLElement>('[role="treeitem"]')]

const row = (item: HTMLElement): HTMLElement | null => item.querySelector<HTMLElement>(':scope > .tree-row')

/** The keys of a tree, as screen readers and file managers have them. */
const onTreeKey = (event: KeyboardEvent<HTMLElement>): void => {
  const root = event.currentTarget
  const item = (event.target as HTMLElement).closest<HTMLElement>('[role="treeitem"]')
  if (item === null) return
  const all = items(root)
  const at = all.indexOf(item)
  const expanded = item.getAttribute('aria-expanded')
  const toggle = (): void => row(item)?.querySelector<HTMLElement>('button.twisty')?.click()
  const parent = item.parentElement?.closest<HTMLElement>('[role="treeitem"]')
  const focus = (next: HTMLElement | null | undefined): void => next?.focus()
  const keys: Record<string, () => void> = {
    ArrowDown: () => focus(all[at + 1]),
    ArrowUp: () => focus(all[at - 1]),
    Home: () => focus(all[0]),
    End: () => focus(all.at(-1)),
    ArrowRight: () => (expanded === 'false' ? toggle() : focus(expanded === 'true' ? all[at + 1] : null)),
    ArrowLeft: () => (expanded === 'true' ? toggle() : focus(parent)),
    Enter: () => row(item)?.querySelector<HTMLElement>('.tree-face')?.click(),
    ' ': toggle,
  }
  const act = keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
}

const Section = ({ title, kind }: { title: string; kind: string }) => {
  const place = usePlace()
  return (
    <Node
      level={1}
      label={<strong>{title}</strong>}
      holds={place !== '' && rootOf(place.split(' ', 1)[0] ?? '') === kind}
    >
      {() => <Entities kind={kindNamed(kind)} level={2} />}
    </Node>
  )
}

/** Everything there is, or was at the moment that the page shows, from services down to columns; each level is asked for when it is opened. */
export const Tree = () => (
  <ul
    role="tree"
    aria-label="Everything in the catalog"
    className="tree"
    tabIndex={0}
    onFocus={(event) => {
      if (event.target === event.currentTarget) items(event.currentTarget)[0]?.focus()
    }}
    onKeyDown={onTreeKey}
  >
    {sections.map(({ title, kind }) => (
      <Section key={kind} title={title} kind={kind} />
    ))}
  </ul>
)
