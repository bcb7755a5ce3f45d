import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useMay } from '../api/permissions.ts'
import { apiUrl } from '../api/reads.ts'
import { useShown } from '../entity/context.ts'
import { useEntitySearch } from '../entity/EntityPage.tsx'
import { endOfDay, momentAt, positionOf, timeAt, type Life } from '../time/moments.ts'
import { Button } from '../ui/Button.tsx'
import { sharedMoment } from '../ui/EntityLink.tsx'
import { dayKey, formatDay, plural } from '../ui/format.ts'
import { Empty, QueryResult, Retry } from '../ui/States.tsx'
import { Canvas } from './Canvas.tsx'
import { DrawDialog } from './DrawDialog.tsx'
import { drawingOf } from './drawing.ts'
import { EdgeList } from './EdgeList.tsx'
import { lineageDifferenceQuery, lineagePath, lineageQuery, type Asset } from './queries.ts'

const dayLength = 24 * 60 * 60 * 1000

/** A day after the other, from the first of the asset's life until now. */
const Days = ({
  life,
  asOf,
  onChoose,
}: {
  life: Life
  asOf: string | undefined
  onChoose: (asOf?: string) => void
}) => {
  const first = new Date(life.moments[0]?.time ?? Date.now()).setHours(12, 0, 0, 0)
  const last = Math.round((new Date().setHours(12, 0, 0, 0) - first) / dayLength)
  const time = asOf === undefined ? undefined : timeAt(life.moments, asOf)
  const day = time ?? life.moments[asOf === undefined ? -1 : momentAt(life.moments, asOf)]?.time ?? first
  const shown = asOf === undefined ? last + 1 : Math.round((new Date(day).setHours(12, 0, 0, 0) - first) / dayLength)
  const words = shown > last ? 'Now' : time === undefined ? `Position ${positionOf(asOf)} of the log` : formatDay(day)
  const dayAt = (at: number): string => dayKey(first + at * dayLength)
  return (
    <label className="lineage-days">
      <span>{words}</span>
      <input
        type="range"
        aria-label="The end of a day"
        aria-valuetext={words}
        min={0}
        max={last + 1}
        value={shown}
        onChange={({ target }) =>
          onChoose(Number(target.value) > last ? undefined : endOfDay(dayAt(Number(target.value))))
        }
      />
    </label>
  )
}

/** A moment that all assets have, where the address has a version of this one. */
const useMoment = (life: Life): string | undefined => {
  const { asOf } = useEntitySearch()
  if (asOf === undefined || sharedMoment(asOf) !== undefined) return asOf
  const moment = life.moments[momentAt(life.moments, asOf)]
  return moment === undefined ? undefined : new Date(moment.time).toISOString()
}

/** Where the data of an asset comes from and where it goes: now, on a day, and what changed since. */
export const LineageTab = ({ life }: { life: Life }) => {
  const { loaded, kind } = useShown()
  const { to } = useEntitySearch()
  const asOf = useMoment(life)
  const navigate = useNavigate()
  const mayDraw = useMay('edit', 'lineage') && asOf === undefined && !loaded.entity.deleted
  const [steps, setSteps] = useState(3)
  const [chosen, setChosen] = useState(loaded.entity.id)
  const [drawing, setDrawing] = useState(false)
  const asset: Asset = { ...loaded.entity, type: kind.name }
  const compared = asOf !== undefined && to === 'now'
  const graph = useQuery(lineageQuery(asset, steps, asOf))
  const since = useQuery(lineageDifferenceQuery(asset, steps, compared ? asOf : undefined))
  const drawn = useMemo(
    () => graph.data && drawingOf(graph.data, compared ? since.data : undefined),
    [graph.data, since.data, compared],
  )
  const go = (search: Record<string, string | undefined>): void =>
    void navigate({ to: '.', search: { tab: 'lineage', ...search }, replace: true, resetScroll: false })
  const query = new URLSearchParams({ up: String(steps), down: String(steps), ...(asOf !== undefined && { asOf }) })
  const count = graph.data?.paging.total ?? 0
  return (
    <section className="lineage" aria-label="Lineage">
      <div className="row lineage-tools">
        {life.moments.length > 0 && (
          <Days
            life={life}
            asOf={asOf}
            onChoose={(moment) => go({ asOf: moment, to: moment === undefined ? undefined : to })}
          />
        )}
        {asOf !== undefined && (
          <label className="check">
            <input
              type="checkbox"
              checked={compared}
              onChange={({ target }) => go({ asOf, to: target.checked ? 'now' : undefined })}
            />
            What changed since
          </label>
        )}
        <label>
          Steps{' '}
          <select value={steps} onChange={({ target }) => setSteps(Number(target.value))}>
            {Array.from({ length: 10 }, (_, at) => (
              <option key={at}>{at + 1}</option>
            ))}
          </select>
        </label>
        <a className="button quiet" href={apiUrl(`${lineagePath(asset)}/csv?${query}`)} download="lineage.csv">
          Table (CSV)
        </a>
        {mayDraw && (
          <Button icon="plus" onClick={() => setDrawing(true)}>
            Draw an edge
          </Button>
        )}
      </div>
      {compared && (
        <p className="hint lineage-key">
          <span className="added">added since</span> <span className="changed">changed since</span>{' '}
          <span className="removed">removed since</span>
        </p>
      )}
      {since.error !== null && (
        <Retry words="What changed is not known." error={since.error} retry={() => void since.refetch()} />
      )}
      <QueryResult query={{ data: drawn, error: graph.error, refetch: graph.refetch }} lines={8}>
        {(shown) =>
          shown.nodes.size <= 1 ? (
            <Empty
              icon="link"
              title={asOf === undefined ? 'No upstream or downstream assets' : 'No upstream or downstream assets then'}
            >
              <p>Lineage comes from loaders, OpenLineage events and edges drawn by people.</p>
            </Empty>
          ) : (
            <>
              <Canvas drawing={shown} start={asset.id} chosen={chosen} asOf={asOf} onChoose={setChosen} />
              <p className="hint">
                {plural(count, 'asset')}
                {(graph.data?.paging.after ?? graph.data?.paging.truncated) ? `, of which the nearest are drawn` : ''}.
                Arrow keys walk along the data, space shows columns, Enter opens the lineage of an asset.
              </p>
              <EdgeList drawing={shown} chosen={chosen} mayDraw={mayDraw} />
            </>
          )
        }
      </QueryResult>
      {drawing && <DrawDialog asset={asset} onClose={() => setDrawing(false)} />}
    </section>
  )
}
