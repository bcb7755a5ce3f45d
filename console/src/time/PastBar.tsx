import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useShown } from '../entity/context.ts'
import { tabInPast, useEntitySearch } from '../entity/EntityPage.tsx'
import { useMay } from '../api/permissions.ts'
import { Button } from '../ui/Button.tsx'
import { formatExact, formatMoment, formatVersion } from '../ui/format.ts'
import { Icon } from '../ui/Icon.tsx'
import { isOfPresentLife } from './lives.ts'
import { momentAt, positionOf, timeAt, type Life } from './moments.ts'
import { copy } from '../ui/copy.ts'
import { RevertDialog } from './RevertDialog.tsx'

/** Says that the page shows the past, when, and how to walk on or come back. */
export const PastBar = ({ life }: { life: Life }) => {
  const { asOf, tab } = useEntitySearch()
  const { kind, loaded } = useShown()
  const navigate = useNavigate()
  const mayEdit = useMay('edit', kind.name)
  const [reverting, setReverting] = useState(false)
  if (asOf === undefined) return null
  const { moments, gone } = life
  const at = momentAt(moments, asOf)
  const { entity } = loaded
  const go = (search: Record<string, string | undefined>): void =>
    void navigate({ to: '.', search, replace: true, resetScroll: false })
  const walk = (index: number): void => go({ tab: tabInPast(tab), asOf: moments[index]?.asOf })
  const position = positionOf(asOf)
  const time = timeAt(moments, asOf)
  const since = time ?? entity.updatedAt
  const when = <strong title={formatExact(since)}>{formatMoment(since)}</strong>
  return (
    <div className="past-bar" role="status">
      <Icon name="clock" />
      <p>
        {time === undefined && position !== undefined
          ? `As it was at position ${position} of the log, unchanged since `
          : 'As it was on '}
        {when}
        <span className="hint"> · version {formatVersion(entity.version)}</span>
      </p>
      <div className="row">
        <Button look="quiet" icon="left" label="The change before" disabled={at <= 0} onClick={() => walk(at - 1)} />
        <Button
          look="quiet"
          icon="right"
          label="The change after"
          disabled={at >= moments.length - 1}
          onClick={() => walk(at + 1)}
        />
        <Button
          look="quiet"
          icon="link"
          label="Copy the link to this moment"
          onClick={() => copy(location.href, 'Link')}
        />
        {!gone && (
          <Button look="quiet" icon="compare" onClick={() => go({ tab: 'history', from: asOf, to: 'now' })}>
            Compare with now
          </Button>
        )}
        {mayEdit && isOfPresentLife(moments, at) && !entity.deleted && (
          <Button look="quiet" icon="restore" onClick={() => setReverting(true)}>
            Revert to this
          </Button>
        )}
        <Button look="primary" onClick={() => go({ tab: tabInPast(tab) })}>
          Back to now
        </Button>
      </div>
      {reverting && <RevertDialog version={entity} onClose={() => setReverting(false)} />}
    </div>
  )
}
