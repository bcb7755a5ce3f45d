import { useNavigate } from '@tanstack/react-router'
import { Button } from '../ui/Button.tsx'
import { copy } from '../ui/copy.ts'
import { useWritten } from '../ui/useWritten.ts'
import { positionOf } from './moments.ts'

/** What a field for date and time takes: local time, to the minute; empty where the moment is a position of the log. */
const fieldText = (asOf: string | undefined): string => {
  const time = new Date(asOf?.includes('-') ? asOf : Number.NaN)
  return Number.isNaN(time.getTime())
    ? ''
    : new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Chooses the moment that a list shows, which the address has, and leads back to the present. */
export const ListMoment = ({ asOf }: { asOf: string | undefined }) => {
  const navigate = useNavigate()
  const position = positionOf(asOf)
  const go = (moment: string | undefined): void =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, asOf: moment }), replace: true })
  const [min, max] = ['1970-01-01T00:00', fieldText(new Date().toISOString())] as const
  // A year that is being typed is one of long ago until it has all of its digits.
  const choose = (text: string): void => {
    if (text >= min && text <= max) go(new Date(text).toISOString())
  }
  const shown = fieldText(asOf)
  const [written, setWritten] = useWritten(shown, choose, 500)
  return (
    <>
      <label className={asOf === undefined ? 'list-moment' : 'list-moment in-the-past'}>
        As of
        <input
          type="datetime-local"
          value={written}
          min={min}
          max={max}
          onChange={({ target }) => setWritten(target.value)}
          onBlur={({ target }) => target.validity.valid || setWritten(shown)}
        />
      </label>
      {asOf !== undefined && (
        <>
          {position !== undefined && <span className="hint">position {position} of the log</span>}
          <Button
            look="quiet"
            icon="link"
            label="Copy the link to this moment"
            onClick={() => copy(location.href, 'Link')}
          />
          <Button onClick={() => go(undefined)}>Back to now</Button>
        </>
      )}
    </>
  )
}
