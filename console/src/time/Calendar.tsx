import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { dayKey, formatDay, plural, timesOf } from '../ui/format.ts'
import { endOfDay, type Moment } from './moments.ts'

const monthName = timesOf({ month: 'long', year: 'numeric' })
const weekday = timesOf({ weekday: 'narrow' })

/** 1 is Monday, as `Intl` has it; where it is not known weeks begin on Monday. */
const firstDay = (): number => {
  const locale = new Intl.Locale(navigator.language) as Intl.Locale & { getWeekInfo?: () => { firstDay: number } }
  return locale.getWeekInfo?.().firstDay ?? 1
}

/** The days of a month in rows of seven; `undefined` where another month begins. */
const weeksOf = (year: number, month: number): (Date | undefined)[][] => {
  const before = (new Date(year, month, 1).getDay() - (firstDay() % 7) + 7) % 7
  const length = new Date(year, month + 1, 0).getDate()
  const cells = [
    ...Array.from({ length: before }, () => undefined),
    ...Array.from({ length }, (_, day) => new Date(year, month, day + 1)),
  ]
  return Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => cells.slice(week * 7, week * 7 + 7))
}

interface CalendarProps {
  readonly moments: readonly Moment[]
  /** Before them there is nothing. */
  readonly isWhole: boolean
  readonly asOf: string | undefined
  readonly onChoose: (asOf: string) => void
}

interface DayProps {
  readonly date: Date
  readonly changes: number
  readonly chosen: boolean
  readonly alive: boolean
  readonly onChoose: (asOf: string) => void
}

const Day = ({ date, changes, chosen, alive, onChoose }: DayProps) => (
  <button
    type="button"
    className={`day heat-${Math.min(4, Math.ceil(changes / 2))} ${chosen ? 'here' : ''}`}
    disabled={!alive}
    aria-pressed={chosen}
    aria-label={`${formatDay(date)}${changes > 0 ? `, ${plural(changes, 'change')}` : ''}`}
    onClick={() => onChoose(endOfDay(dayKey(date)))}
  >
    {date.getDate()}
  </button>
)

/** A month of an entity's life: choose a day to see it as it was when that day ended. */
export const Calendar = ({ moments, isWhole, asOf, onChoose }: CalendarProps) => {
  const shown = asOf?.includes('T') ? new Date(asOf) : new Date()
  const [month, setMonth] = useState(() => new Date(shown.getFullYear(), shown.getMonth(), 1))
  const counts = new Map<string, number>()
  for (const { time } of moments) counts.set(dayKey(time), (counts.get(dayKey(time)) ?? 0) + 1)
  const first = moments[0] === undefined ? undefined : dayKey(moments[0].time)
  const today = dayKey(Date.now())
  const weeks = weeksOf(month.getFullYear(), month.getMonth())
  const turn = (by: number): void => setMonth(new Date(month.getFullYear(), month.getMonth() + by, 1))
  const chosen = asOf?.includes('T') ? dayKey(asOf) : undefined
  return (
    <div className="calendar">
      <div className="calendar-head">
        <Button look="quiet" icon="left" label="The month before" onClick={() => turn(-1)} />
        <strong aria-live="polite">{monthName(month)}</strong>
        <Button look="quiet" icon="right" label="The month after" onClick={() => turn(1)} />
      </div>
      <table>
        <thead>
          <tr>
            {Array.from({ length: 7 }, (_, day) => {
              const date = new Date(2024, 0, day + firstDay())
              return (
                <th key={day} scope="col">
                  {weekday(date)}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week, row) => (
            <tr key={row}>
              {week.map((date, column) => {
                if (date === undefined) return <td key={column} />
                const key = dayKey(date)
                const alive = first !== undefined && (!isWhole || key >= first) && key <= today
                return (
                  <td key={column}>
                    <Day
                      date={date}
                      changes={counts.get(key) ?? 0}
                      chosen={key === chosen}
                      alive={alive}
                      onChoose={onChoose}
                    />
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="hint">Shows the end of that day.</p>
    </div>
  )
}
