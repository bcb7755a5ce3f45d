import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { isKind, kindNamed } from '../api/kinds.ts'
import { mayDo, ownFilter, useMay, useMe } from '../api/permissions.ts'
import { deepest } from '../api/queries.ts'
import { listPageSize, measures, type FindSearch, type ListSearch } from '../api/reads.ts'
import type { Entity } from '../api/types.ts'
import { Facets, Chosen } from '../find/Facets.tsx'
import { ListMoment } from '../time/ListMoment.tsx'
import { Button } from '../ui/Button.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { Icon, KindIcon } from '../ui/Icon.tsx'
import { NextFailed } from '../ui/More.tsx'
import { goesOn, type Pages } from '../ui/pages.ts'
import { Empty, QueryResult } from '../ui/States.tsx'
import { formatNumber, inSentence } from '../ui/format.ts'
import { columnsShown, type ListColumn } from './columns.tsx'
import { ListTools } from './ListTools.tsx'
import { useListed } from './queries.ts'
import { everything, isSelected, nothingSelected, toggled, type Selected } from './selected.ts'
import { useTitle } from '../ui/useTitle.ts'

const rowHeight = 44

/** Goes to the same list with something else in its address, and Back leads back; words that are typed on are one step. */
const useChange = () => {
  const navigate = useNavigate()
  const { q } = useSearch({ strict: false }) as ListSearch
  return (changed: ListSearch): void =>
    void navigate({
      to: '.',
      search: (now: object) => ({ ...now, ...changed, kind: undefined }),
      replace: q !== undefined && changed.q !== undefined,
    })
}

interface HeadsProps {
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly onChange: (changed: ListSearch) => void
}

interface HeadProps extends Omit<HeadsProps, 'columns'> {
  readonly column: Pick<ListColumn, 'name' | 'title' | 'sort'>
}

const sortNames: Readonly<Record<string, 'ascending' | 'descending'>> = { asc: 'ascending', desc: 'descending' }

const flipped: Readonly<Record<string, string>> = { asc: 'desc', desc: 'asc' }

/** A head that sorts: once its way, twice the other way, and then by the fully qualified name again. */
const Head = ({ column: { name, title, sort }, search, onChange }: HeadProps) => {
  if (sort === undefined || search.asOf !== undefined)
    return (
      <span role="columnheader" data-column={name}>
        {title}
      </span>
    )
  const usual = sort === 'updatedAt' ? 'desc' : 'asc'
  const order = search.sort === sort ? (search.order ?? usual) : undefined
  const next: ListSearch =
    order === undefined
      ? { sort, order: undefined }
      : order === usual
        ? { sort, order: flipped[usual] }
        : { sort: undefined, order: undefined }
  return (
    <span role="columnheader" data-column={name} aria-sort={order === undefined ? undefined : sortNames[order]}>
      <button type="button" className="list-sort" onClick={() => onChange(next)}>
        {title}
        {order && <Icon name={order === 'asc' ? 'up' : 'down'} size={13} />}
      </button>
    </span>
  )
}

const nameColumn = { name: 'name', title: 'Name', sort: 'name' }

interface RowProps {
  readonly kind: string
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  readonly top: number
  readonly index: number
  /** Left out where nothing can be selected. */
  readonly selected: boolean | undefined
  readonly selectable: boolean
  readonly onSelect: () => void
}

const Row = ({ kind, entity, columns, top, index, selected, selectable, onSelect }: RowProps) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    aria-selected={selected}
    className="list-row"
    style={{ transform: `translateY(${top}px)`, blockSize: rowHeight }}
  >
    {selected !== undefined && (
      <span role="cell" className="list-select">
        <input
          type="checkbox"
          aria-label={`Select ${entity.name}`}
          checked={selected}
          disabled={!selectable}
          onChange={onSelect}
        />
      </span>
    )}
    <span role="cell" data-column="name" className="list-name">
      <EntityLink reference={{ ...entity, type: kind }} />
    </span>
    {columns.map(({ name, show }) => (
      <span role="cell" key={name} data-column={name}>
        {show(entity)}
      </span>
    ))}
  </div>
)

interface TableProps extends HeadsProps {
  readonly kind: string
  readonly pages: Pages
  readonly rows: readonly Entity[]
  /** Left out while the list is on its way. */
  readonly total: number | undefined
  readonly maySelect: boolean
  readonly selected: Selected
  readonly onSelect: (selected: Selected) => void
}

const Table = (props: TableProps) => {
  const { kind, pages, rows, total, columns, search, onChange, maySelect, selected, onSelect } = props
  const { fetchNextPage } = pages
  const further = goesOn(pages)
  const { many } = kindNamed(kind)
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    // What is seen at most, so that the first rows come with the page and not after it has been measured.
    initialRect: { width: innerWidth, height: innerHeight },
  })
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (further && last >= rows.length - listPageSize / 2) void fetchNextPage()
  }, [further, last, rows.length, fetchNextPage])
  const widths = [
    'minmax(150px, 1.1fr)',
    ...columns.map(({ width, least = 50 + width * 30 }) => `minmax(${least}px, ${width}fr)`),
  ]
  const grid = [...(maySelect ? ['18px'] : []), ...widths].join(' ')
  return (
    <div
      className="list card flush"
      role="table"
      aria-label={many}
      aria-rowcount={total === undefined ? -1 : total + 1}
      style={{ '--columns': grid } as React.CSSProperties}
    >
      <div role="row" className="list-row list-heads" aria-rowindex={1}>
        {maySelect && (
          <span role="columnheader" className="list-select">
            <input
              type="checkbox"
              aria-label={total === undefined ? 'Select all' : `Select all ${formatNumber(total)}`}
              disabled={total === undefined}
              checked={selected.all && selected.ids.size === 0}
              onChange={() => onSelect(selected.all ? nothingSelected : everything)}
            />
          </span>
        )}
        {[nameColumn, ...columns].map((column) => (
          <Head key={column.name} column={column} search={search} onChange={onChange} />
        ))}
      </div>
      <div ref={scroller} className="list-scroll" role="rowgroup" tabIndex={0} aria-label={`${many}, scrollable`}>
        <div role="presentation" style={{ blockSize: virtual.getTotalSize(), position: 'relative' }}>
          {shown.map(({ index, start }) => {
            const entity = rows[index]
            return (
              entity && (
                <Row
                  key={entity.id}
                  kind={kind}
                  entity={entity}
                  columns={columns}
                  top={start}
                  index={index}
                  selected={maySelect ? isSelected(selected, entity.id) : undefined}
                  selectable={total !== undefined}
                  onSelect={() => onSelect(toggled(selected, entity.id))}
                />
              )
            )
          })}
        </div>
      </div>
    </div>
  )
}

const facetNames = ['owner', 'tag', 'domain', 'service', 'status', 'validation', 'deleted'] as const
const filterNames = [...facetNames, 'q', ...measures.map(({ name }) => name)] as const

const measuresIn = (search: ListSearch) => measures.filter(({ name }) => search[name] !== undefined)

/** What coverage counts, as filters that can be taken away. */
const ChosenMeasures = ({ search, onChange }: Omit<HeadsProps, 'columns'>) => (
  <div className="chosen" role="group" aria-label="Chosen by coverage">
    {measuresIn(search).map(({ name, title }) => (
      <Button
        key={name}
        look="quiet"
        icon="close"
        title={`Remove the filter ${title.toLowerCase()}`}
        onClick={() => onChange({ [name]: undefined })}
      >
        {title}: {search[name] === 'true' ? 'yes' : 'no'}
      </Button>
    ))}
  </div>
)

interface NoneProps {
  readonly kind: string
  readonly search: ListSearch
  readonly mayCreate: boolean
}

const None = ({ kind, search, mayCreate }: NoneProps) => {
  const one = inSentence(kindNamed(kind).one)
  if (filterNames.some((name) => search[name] !== undefined))
    return (
      <Empty icon="search" title={`No ${one} matches`}>
        <p>Try other words, or remove filters.</p>
      </Empty>
    )
  return (
    <Empty title={search.asOf === undefined ? `There is no ${one} yet` : `There was no ${one} then`}>
      <p>
        {search.asOf !== undefined && 'Choose a later moment. '}
        {mayCreate
          ? 'Create the first one here, or through the API.'
          : 'Entities created through the API appear here, too.'}
      </p>
    </Empty>
  )
}

/** All entities of a kind, as many as there are: only what is seen is on the page. */
export const ListPage = () => {
  const { kind = '' } = useParams({ strict: false }) as { kind?: string }
  const me = useMe()
  useTitle(isKind(kind) ? kindNamed(kind).many : 'Page not found')
  const search: ListSearch = { ...ownFilter(me, kind), ...useSearch({ strict: false }) }
  const change = useChange()
  const { list: pages, rows, arrived, total } = useListed(kind, search)
  const mayCreate = useMay('create', kind)
  const [filtering, setFiltering] = useState(false)
  const { columns: _, sort: __, order: ___, ...narrowing } = search
  const list = JSON.stringify([kind, narrowing])
  const [selection, setSelection] = useState<{ of: string; selected: Selected }>()
  if (!isKind(kind)) return <Empty icon="search" title="This kind does not exist" />
  const { many } = kindNamed(kind)
  // What was selected in one list means nothing in another one.
  const selected = selection?.of === list ? selection.selected : nothingSelected
  const select = (now: Selected): void => setSelection({ of: list, selected: now })
  const found: FindSearch = { ...search, kind }
  const maySelect = search.asOf === undefined && search.deleted !== 'true' && mayDo(me, 'edit', kind)
  return (
    <div className="page list-page">
      <header className="section-head">
        <h1>
          <KindIcon kind={kind} size={22} badge /> {many}{' '}
          <span className="count">
            {total !== undefined && formatNumber(total)}
            {search.q !== undefined && total === deepest && '+'}
          </span>
        </h1>
        <div className="row">
          <ListMoment asOf={search.asOf} />
          {mayCreate && (
            <Link to="/new/$kind" params={{ kind }} className="button primary">
              <Icon name="plus" size={16} /> New
            </Link>
          )}
        </div>
      </header>
      <ListTools
        kind={kind}
        search={search}
        total={total ?? 0}
        selected={selected}
        filtering={filtering}
        onFiltering={() => setFiltering(!filtering)}
        onChange={change}
        onSelect={select}
      />
      {measuresIn(search).length > 0 && <ChosenMeasures search={search} onChange={change} />}
      {facetNames.some((name) => search[name] !== undefined) && (
        <Chosen search={found} without="kind" onChange={change} />
      )}
      <div className={filtering ? 'list-body find' : 'list-body'}>
        {filtering && <Facets search={found} without="kind" onChange={change} />}
        <div className="list-shown" aria-busy={!arrived}>
          <QueryResult
            query={pages}
            lines={12}
            ways={
              search.sort !== undefined && (
                <Button onClick={() => change({ sort: undefined, order: undefined })}>Show without sorting</Button>
              )
            }
          >
            {() =>
              rows.length === 0 && arrived ? (
                <None kind={kind} search={search} mayCreate={mayCreate} />
              ) : (
                <Table
                  kind={kind}
                  pages={pages}
                  rows={rows}
                  total={total}
                  columns={columnsShown(kind, search.columns)}
                  search={search}
                  onChange={change}
                  maySelect={maySelect}
                  selected={selected}
                  onSelect={select}
                />
              )
            }
          </QueryResult>
          <NextFailed pages={pages} />
        </div>
      </div>
    </div>
  )
}
