import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { refresh } from '../api/queries.ts'
import { UndoDialog } from '../requests/UndoDialog.tsx'
import { Button } from '../ui/Button.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { plural, wordsOf } from '../ui/format.ts'
import { Problems, Skeleton } from '../ui/States.tsx'
import { namesOf } from './cells.ts'
import type { Became, ChangesResult, SendChanges } from './queries.ts'

/** Rows that are shown at once. */
const atOnce = 200

const nothing = <span className="hint">nothing</span>

const texts = new Set(['displayName', 'description'])

const Cell = ({ column, text }: { column: string; text: string }) =>
  text === '' ? nothing : texts.has(column) ? text : namesOf(text)

const Row = ({ kind, became }: { kind: string; became: Became }) => {
  const { row, id, fullyQualifiedName, outcome, changes, errors } = became
  return (
    <tr>
      <th scope="row">
        {row !== undefined && <span className="hint">row {row} </span>}
        {id === undefined ? fullyQualifiedName : <EntityLink reference={{ type: kind, fullyQualifiedName }} full />}
      </th>
      <td>
        <span className={`badge ${outcome === 'changed' ? 'good' : 'bad'}`}>{outcome}</span>
      </td>
      <td>
        {changes.map(({ column, before, after }) => (
          <p key={column} className="cell-change">
            <strong>{wordsOf(column)}</strong>{' '}
            <del>
              <Cell column={column} text={before} />
            </del>{' '}
            →{' '}
            <ins>
              <Cell column={column} text={after} />
            </ins>
          </p>
        ))}
      </td>
      <td>
        {errors.map(({ column, message }) => (
          <p key={`${column} ${message}`} className="wrong">
            {column && `${wordsOf(column)}: `}
            {message}
          </p>
        ))}
      </td>
    </tr>
  )
}

const wordsFor = ({ changed, unchanged, failed }: ChangesResult, done: boolean): string =>
  [
    `${plural(changed, 'entity', 'entities')} ${done ? 'changed' : 'would be changed'}`,
    unchanged > 0 && `${plural(unchanged, 'entity', 'entities')} ${done ? 'stayed' : 'would stay'} as they were`,
    failed > 0 &&
      `${plural(failed, 'entity', 'entities')} ${done ? 'refused' : 'cannot be changed and would be skipped'}`,
  ]
    .filter((words) => words !== false)
    .join('; ')

/** Every entity, those first that somebody has to look at. */
const Result = ({ kind, result, done }: { kind: string; result: ChangesResult; done: boolean }) => {
  const [shown, setShown] = useState(atOnce)
  const sorted = result.data.toSorted((a, b) => Number(a.outcome === 'changed') - Number(b.outcome === 'changed'))
  return (
    <>
      <p role="status">{wordsFor(result, done)}.</p>
      {sorted.length > 0 && (
        <DataTable
          label={done ? 'Results' : 'Preview'}
          heads={['Entity', 'Outcome', 'Changes', 'Reason']}
          foot={
            sorted.length > shown && (
              <Button look="quiet" onClick={() => setShown(shown + atOnce)}>
                Show more of {plural(sorted.length, 'entity', 'entities')}
              </Button>
            )
          }
        >
          {sorted.slice(0, shown).map((became) => (
            <Row key={`${became.row} ${became.fullyQualifiedName}`} kind={kind} became={became} />
          ))}
        </DataTable>
      )}
    </>
  )
}

interface ManyChangesProps {
  readonly kind: string
  readonly title: string
  readonly send: SendChanges
  readonly onClose: () => void
  /** Leads back to what is sent. */
  readonly onBack?: () => void
}

/** Shows what many changes would do, does it, and offers to undo it. */
export const ManyChanges = ({ kind, title, send, onClose, onBack }: ManyChangesProps) => {
  const [undoing, setUndoing] = useState(false)
  const key = useId()
  const preview = useQuery({
    queryKey: ['changes', key],
    queryFn: () => send(),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })
  const making = useMutation({ mutationFn: () => send(preview.data), onSuccess: () => refresh() })
  const done = making.data
  if (undoing && done) return <UndoDialog correlationId={done.correlationId} onClose={onClose} />
  const result = done ?? preview.data
  const changing = preview.data?.changed ?? 0
  return (
    <Dialog
      wide
      title={title}
      onClose={onClose}
      unsaved={onBack !== undefined && !done}
      action={
        done
          ? undefined
          : { words: `Change ${plural(changing, 'entity', 'entities')}`, by: making, disabled: changing === 0 }
      }
      actions={
        done ? (
          <>
            {done.changed > 0 && (
              <Button icon="restore" onClick={() => setUndoing(true)}>
                Undo
              </Button>
            )}
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </>
        ) : (
          onBack && <Button onClick={onBack}>Back</Button>
        )
      }
    >
      {result && <Result kind={kind} result={result} done={done !== undefined} />}
      {preview.isPending && <Skeleton lines={6} label="Preparing the preview" />}
      <Problems error={preview.error} />
    </Dialog>
  )
}
