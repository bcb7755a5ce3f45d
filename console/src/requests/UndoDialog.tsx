import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../api/queries.ts'
import { Button } from '../ui/Button.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { plural, wordsOf } from '../ui/format.ts'
import { Problems, Skeleton } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import { previewQuery, undoRequest, type Reverted } from './queries.ts'

const outcomes: Readonly<Record<Reverted['outcome'], readonly [words: string, look: string]>> = {
  conflict: ['conflict', 'bad'],
  refused: ['refused', 'bad'],
  reverted: ['undone', 'good'],
  unchanged: ['stays', ''],
}

const order = Object.keys(outcomes)

const isLeftOut = ({ outcome }: Reverted): boolean => outcome === 'conflict' || outcome === 'refused'
const isTaken = ({ outcome }: Reverted): boolean => outcome === 'reverted'

const entities = (some: readonly Reverted[]): string => plural(some.length, 'entity', 'entities')

/** What would happen to one entity, in words. */
const fate = (reverted: Reverted): string => {
  if (!isTaken(reverted)) return 'Stays as it is'
  if (reverted.undo === 'delete') return 'Will be deleted; you can restore it'
  if (reverted.undo === 'restore') return 'Is restored'
  return `Gets back: ${reverted.changed.map((member) => wordsOf(member).toLowerCase()).join(', ')}`
}

const Row = ({ reverted }: { reverted: Reverted }) => {
  const [words, look] = outcomes[reverted.outcome]
  return (
    <tr>
      <th scope="row">
        <EntityLink reference={reverted.entity} full />
      </th>
      <td>
        <span className={`badge ${look}`}>{words}</span>
      </td>
      <td>{fate(reverted)}</td>
      <td>{reverted.message}</td>
    </tr>
  )
}

/** Rows that are shown at once. */
const atOnce = 200

/** Every entity, those first that somebody has to look at. */
const Preview = ({ preview }: { preview: readonly Reverted[] }) => {
  const [shown, setShown] = useState(atOnce)
  const sorted = preview.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))
  const left = preview.filter(isLeftOut)
  return (
    <>
      <p>
        {entities(preview.filter(isTaken))} would be undone
        {left.length > 0 && `; ${entities(left)} cannot be and would be skipped`}. Nothing is lost: this is a new
        request, which can be undone too.
      </p>
      <DataTable
        label="Preview"
        heads={['Entity', 'Outcome', 'What would happen', 'Reason']}
        foot={
          sorted.length > shown && (
            <Button look="quiet" onClick={() => setShown(shown + atOnce)}>
              Show more of {entities(sorted)}
            </Button>
          )
        }
      >
        {sorted.slice(0, shown).map((reverted) => (
          <Row key={reverted.entity.id} reverted={reverted} />
        ))}
      </DataTable>
    </>
  )
}

/** Shows what undoing a request would do to each entity, and does it. */
export const UndoDialog = ({ correlationId, onClose }: { correlationId: string; onClose: () => void }) => {
  const { data: preview, error, isFetching, refetch } = useQuery(previewQuery(correlationId))
  const taken = preview?.filter(isTaken) ?? []
  const left = preview?.filter(isLeftOut) ?? []
  const revert = useMutation({
    mutationFn: () => undoRequest(correlationId, left.length > 0),
    onSuccess: async (became) => {
      const out = became.filter(isLeftOut)
      toast(
        `${entities(became.filter(isTaken))} undone${out.length > 0 ? `, ${entities(out)} left out` : ''}`,
        out.length > left.length,
      )
      onClose()
      await refresh()
    },
    onError: () => void refetch(),
  })
  return (
    <Dialog
      wide
      title="Undo what this request did?"
      onClose={onClose}
      action={{
        words: taken.length > 0 && left.length > 0 ? `Undo the other ${entities(taken)}` : 'Undo',
        by: revert,
        icon: 'restore',
        disabled: isFetching || taken.length === 0,
      }}
    >
      {preview && <Preview preview={preview} />}
      {preview === undefined && error === null && <Skeleton lines={6} label="Preparing the preview" />}
      <Problems error={error} />
    </Dialog>
  )
}
