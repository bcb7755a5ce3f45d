import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useShown } from '../entity/context.ts'
import { useEntitySearch } from '../entity/EntityPage.tsx'
import { RequestLink } from '../requests/RequestLink.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { dayKey, formatClock, formatDay, formatExact, formatVersion } from '../ui/format.ts'
import { Empty, QueryResult } from '../ui/States.tsx'
import { More } from '../ui/More.tsx'
import { Compare } from './Compare.tsx'
import { momentAt, type Life, type Moment } from './moments.ts'

interface RowProps {
  readonly moment: Moment
  readonly before: Moment | undefined
  readonly here: boolean
  readonly picked: boolean
  readonly onPick: () => void
}

/** One thing that happened, and what one can do with it. */
const Row = ({ moment, before, here, picked, onPick }: RowProps) => {
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const show = (): void => void navigate({ to: '.', search: { asOf: moment.asOf } })
  const ended = moment.verb === 'HardDeleted'
  const begun = moment.verb === 'Created'
  const comparable = before !== undefined && moment.version !== before.version && !begun && !ended
  return (
    <li className={here ? 'moment here' : 'moment'}>
      <label className="moment-pick">
        <input
          type="checkbox"
          disabled={ended}
          checked={picked}
          onChange={onPick}
          aria-label={`Compare ${formatExact(moment.time)}`}
        />
      </label>
      <Avatar name={moment.user} />
      <div className="moment-body">
        <p>
          <strong>{moment.user}</strong> {moment.says}
        </p>
        <p className="hint">
          <time dateTime={new Date(moment.time).toISOString()} title={formatExact(moment.time)}>
            {formatClock(moment.time)}
          </time>{' '}
          · version {formatVersion(moment.version)}
          {moment.correlationId !== undefined && (
            <>
              {' '}
              · <RequestLink correlationId={moment.correlationId} />
            </>
          )}
        </p>
        {open && before && <Compare from={before.asOf} to={moment.asOf} bare />}
      </div>
      <div className="row">
        {comparable && (
          <Button look="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide' : 'What changed'}
          </Button>
        )}
        {!ended && (
          <Button look="quiet" icon="clock" onClick={show}>
            View
          </Button>
        )}
      </div>
    </li>
  )
}

/** Moments of one day after the other, the newest first. */
const byDay = (moments: readonly Moment[]): (readonly [string, readonly Moment[]])[] => [
  ...Map.groupBy(moments.toReversed(), ({ time }) => dayKey(time)),
]

const Moments = ({ life: { moments, gone } }: { life: Life }) => {
  const { asOf } = useEntitySearch()
  const navigate = useNavigate()
  const [picked, setPicked] = useState<readonly string[]>([])
  const here = asOf === undefined ? moments.length - 1 : momentAt(moments, asOf)
  const pick = (key: string): void =>
    setPicked(picked.includes(key) ? picked.filter((each) => each !== key) : [...picked.slice(-1), key])
  const chosen = moments.filter(({ key }) => picked.includes(key))
  const [earlier, later] = chosen
  const compare = (): void =>
    void navigate({ to: '.', search: { tab: 'history', from: earlier?.asOf, to: later?.asOf ?? 'now' } })
  return (
    <>
      <div className="section-head">
        <p className="hint">Select two versions to compare{gone ? '.' : ', or one to compare with the present.'}</p>
        <Button icon="compare" disabled={(gone ? later : earlier) === undefined} onClick={compare}>
          Compare
        </Button>
      </div>
      {byDay(moments).map(([day, list]) => (
        <section key={day} aria-label={formatDay(list[0]?.time ?? 0)}>
          <h2 className="day-head">{formatDay(list[0]?.time ?? 0)}</h2>
          <ol className="moments card flush">
            {list.map((moment) => {
              const index = moments.indexOf(moment)
              return (
                <Row
                  key={moment.key}
                  moment={moment}
                  before={moments[index - 1]}
                  here={index === here}
                  picked={picked.includes(moment.key)}
                  onPick={() => pick(moment.key)}
                />
              )
            })}
          </ol>
        </section>
      ))}
    </>
  )
}

/** Everything that ever happened to the entity: look at any of it, compare any two, go back to one. */
export const HistoryTab = ({ life }: { life: Life }) => {
  const { from, to } = useEntitySearch()
  const { kind } = useShown()
  const { source } = life
  if (source === undefined)
    return <Empty icon="clock" title={`You may not see the history of a ${kind.one.toLowerCase()}`} />
  if (from !== undefined) return <Compare from={from} to={to ?? 'now'} />
  return (
    <div className="history">
      <QueryResult query={source} lines={8}>
        {() => <Moments life={life} />}
      </QueryResult>
      <More pages={source} />
    </div>
  )
}
