import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { isKind, kindNamed } from '../api/kinds.ts'
import { useMay } from '../api/permissions.ts'
import { listQuery } from '../api/queries.ts'
import { listFilters, listPageSize, type Filters } from '../api/reads.ts'
import type { Entity } from '../api/types.ts'
import { ListMoment } from '../time/ListMoment.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { Icon, KindIcon } from '../ui/Icon.tsx'
import { Empty, Failure, Skeleton } from '../ui/States.tsx'
import { formatNumber, inSentence } from '../ui/format.ts'
import { Tag } from '../ui/Tag.tsx'

const rowHeight = 44

const Row = ({ kind, entity, top, index }: { kind: string; entity: Entity; top: number; index: number }) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    className="list-row"
    style={{ transform: `translateY(${top}px)`, blockSize: rowHeight }}
  >
    <span role="cell" className="list-name">
      <EntityLink reference={{ ...entity, type: kind }} />
    </span>
    <span role="cell" className="list-path">
      {entity.fullyQualifiedName}
    </span>
    <span role="cell" className="list-owner">
      {entity.owners?.[0] && <EntityLink reference={entity.owners[0]} />}
    </span>
    <span role="cell" className="tags list-tags">
      {entity.tags?.slice(0, 2).map((tag) => (
        <Tag key={tag.tagFQN} tag={tag} />
      ))}
    </span>
  </div>
)

const heads = ['Name', 'Fully qualified name', 'Owner', 'Tags']

/** All entities of a kind, as many as there are: only what is seen is on the page. */
export const ListPage = () => {
  const { kind = '' } = useParams({ strict: false }) as { kind?: string }
  const search = useSearch({ strict: false }) as Filters
  const { asOf } = search
  const list = useInfiniteQuery({
    ...listQuery(kind, listFilters(search), listPageSize),
    enabled: isKind(kind),
    placeholderData: keepPreviousData,
  })
  const mayCreate = useMay('create', kind)
  const scroller = useRef<HTMLDivElement>(null)
  const rows = list.data?.pages.flatMap((page) => page.data) ?? []
  const total = list.data?.pages[0]?.paging.total ?? 0
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
  const { hasNextPage, isFetching, fetchNextPage } = list
  useEffect(() => {
    if (last >= rows.length - listPageSize / 2 && hasNextPage && !isFetching) void fetchNextPage()
  }, [last, rows.length, hasNextPage, isFetching, fetchNextPage])
  if (!isKind(kind)) return <Empty icon="search" title="There is no such kind" />
  if (list.error) return <Failure error={list.error} retry={() => void list.refetch()} />
  const { many, one } = kindNamed(kind)
  return (
    <div className="page list-page">
      <header className="section-head">
        <h1>
          <KindIcon kind={kind} size={22} badge /> {many}{' '}
          <span className="count">{list.data && formatNumber(total)}</span>
        </h1>
        <div className="row">
          <ListMoment asOf={asOf} />
          <Link to="/search" search={{ kind, q: '*' }} className="button plain">
            Search in them
          </Link>
          {mayCreate && (
            <Link to="/new/$kind" params={{ kind }} className="button primary">
              <Icon name="plus" size={16} /> New
            </Link>
          )}
        </div>
      </header>
      {list.isPending && <Skeleton lines={12} />}
      {!list.isPending && rows.length === 0 && (
        <Empty
          title={asOf === undefined ? `There is no ${inSentence(one)} yet` : `There was no ${inSentence(one)} then`}
        >
          <p>
            {asOf !== undefined && 'Choose a later moment. '}
            {mayCreate
              ? 'Make the first one here, or through the API.'
              : 'What is created through the API appears here.'}
          </p>
        </Empty>
      )}
      {rows.length > 0 && (
        <div className="list card flush" role="table" aria-label={many} aria-rowcount={total + 1}>
          <div role="row" className="list-row list-heads" aria-rowindex={1}>
            {heads.map((head) => (
              <span key={head} role="columnheader">
                {head}
              </span>
            ))}
          </div>
          <div ref={scroller} className="list-scroll" role="rowgroup" tabIndex={0} aria-label={`${many}, scrollable`}>
            <div role="presentation" style={{ blockSize: virtual.getTotalSize(), position: 'relative' }}>
              {shown.map(({ index, start }) => {
                const entity = rows[index]
                return entity && <Row key={entity.id} kind={kind} entity={entity} top={start} index={index} />
              })}
            </div>
          </div>
        </div>
      )}
    </div>
  )
}
