import { startTransition, useMemo, useState } from 'react'
import { formatTime, formatVersion } from '../ui/format.ts'
import { momentAt, type Moment } from './moments.ts'

/** Part of the ribbon that the order of moments takes; the rest is shared by the time between them. */
const byOrder = 0.6

/** Where each moment stands, from 0 to 1: in order, and farther apart the longer nothing happened. */
const places = (moments: readonly Moment[], now: number): number[] => {
  const first = moments[0]?.time ?? now
  const span = Math.max(1, now - first)
  return moments.map(
    ({ time }, at) => (byOrder * at) / Math.max(1, moments.length) + ((1 - byOrder) * (time - first)) / span,
  )
}

const looks: Readonly<Record<string, string>> = {
  Created: 'born',
  SoftDeleted: 'gone',
  HardDeleted: 'gone',
  Restored: 'born',
  Voted: 'small',
  FollowerAdded: 'small',
  FollowerRemoved: 'small',
}

interface RibbonProps {
  readonly moments: readonly Moment[]
  /** Left of them there is nothing: else more comes as soon as the hand is there. */
  readonly isWhole: boolean
  readonly asOf: string | undefined
  /** Ends when the page shows that moment. */
  readonly onChoose: (asOf: string | undefined) => Promise<void>
}

/** Where the hand is: at what was chosen last, also while the page is still on its way there, so that the next key counts from there. */
const useHand = (shown: number, moments: readonly Moment[], onChoose: RibbonProps['onChoose']) => {
  const [wanted, setWanted] = useState<{ readonly index: number }>()
  const choose = (index: number): void => {
    const mine = { index }
    setWanted(mine)
    const arrived = (): void => startTransition(() => setWanted((now) => (now === mine ? undefined : now)))
    void onChoose(moments[index]?.asOf).finally(arrived)
  }
  return [wanted?.index ?? shown, choose] as const
}

/** The whole life of an entity as a line: drag to any moment of it, or walk with the arrow keys. */
export const Ribbon = ({ moments, isWhole, asOf, onChoose }: RibbonProps) => {
  const now = useMemo(() => Date.now(), [moments])
  const at = useMemo(() => places(moments, now), [moments, now])
  const [chosen, choose] = useHand(asOf === undefined ? moments.length : momentAt(moments, asOf), moments, onChoose)
  const playhead = chosen >= moments.length ? 1 : (at[chosen] ?? 0)
  const shown = moments[chosen]
  return (
    <div className={asOf === undefined ? 'ribbon' : 'ribbon past'}>
      <div className="ribbon-track">
        <div className="ribbon-line" />
        <div className="ribbon-past" style={{ inlineSize: `${playhead * 100}%` }} />
        {moments.map((moment, index) => (
          <button
            key={moment.key}
            type="button"
            tabIndex={-1}
            aria-hidden="true"
            className={`tick ${looks[moment.verb] ?? ''} ${index === chosen ? 'here' : ''}`}
            style={{ insetInlineStart: `${(at[index] ?? 0) * 100}%` }}
            title={`${formatTime(moment.time)}: ${moment.user} ${moment.says}`}
            onClick={() => choose(index)}
          />
        ))}
        <div className="playhead" style={{ insetInlineStart: `${playhead * 100}%` }} />
        <input
          type="range"
          aria-label="Moment in its history"
          min={0}
          max={moments.length}
          step={1}
          value={Math.max(0, chosen)}
          aria-valuetext={
            shown === undefined
              ? 'now'
              : `${formatTime(shown.time)}, version ${formatVersion(shown.version)}: ${shown.user} ${shown.says}`
          }
          onChange={(event) => choose(Number(event.target.value))}
        />
      </div>
      <div className="ribbon-ends" aria-hidden="true">
        <span>
          {!isWhole && 'earlier … '}
          {moments[0] && formatTime(moments[0].time)}
        </span>
        <span>now</span>
      </div>
    </div>
  )
}
