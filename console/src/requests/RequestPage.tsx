import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Entry } from '../activity/deeds.ts'
import { mayDo, useMay, useMe } from '../api/permissions.ts'
import { Button } from '../ui/Button.tsx'
import { More } from '../ui/More.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { formatTime, wordsOf } from '../ui/format.ts'
import { Empty, QueryResult } from '../ui/States.tsx'
import { requestQuery } from './queries.ts'
import { UndoDialog } from './UndoDialog.tsx'
import { useTitle } from '../ui/useTitle.ts'

/** What somebody must be allowed who undoes an event; others are not undone. */
const operations: Readonly<Record<string, string>> = {
  Created: 'delete',
  Restored: 'delete',
  SoftDeleted: 'restore',
  Updated: 'edit',
  Confirmed: 'approve',
  AssetsAdded: 'edit',
  AssetsRemoved: 'edit',
  PortsAdded: 'edit',
  PortsRemoved: 'edit',
}

/** May I undo some of it? The preview says which. */
const useMayUndo = (entries: readonly Entry[]): boolean => {
  const me = useMe()
  return entries.some(({ type, entity }) => {
    const operation = operations[type]
    return operation !== undefined && mayDo(me, operation, entity.type)
  })
}

const Row = ({ entry: { type, entity, summary, user, time } }: { entry: Entry }) => (
  <tr>
    <th scope="row">
      <EntityLink reference={entity} full />
    </th>
    <td>
      <span className="badge">{wordsOf(type)}</span>
    </td>
    <td>{summary}</td>
    <td>{user}</td>
    <td>{formatTime(time)}</td>
  </tr>
)

/** All that one request did, and the way to undo it as one. */
export const RequestPage = () => {
  useTitle('What one request did')
  const { correlationId = '' } = useParams({ strict: false }) as { correlationId?: string }
  const may = useMay('history')
  const request = useInfiniteQuery({ ...requestQuery(correlationId), enabled: may })
  const [asking, setAsking] = useState(false)
  const entries = request.data?.pages.flatMap(({ data }) => data) ?? []
  const mayUndo = useMayUndo(entries)
  if (!may) return <Empty icon="activity" title="Your roles do not allow you to see activity" />
  return (
    <div className="page sections">
      <div className="section-head">
        <h1>What one request did</h1>
        {mayUndo && (
          <Button icon="restore" onClick={() => setAsking(true)}>
            Undo
          </Button>
        )}
      </div>
      <p className="hint">
        Request <code>{correlationId}</code>, in its order.
      </p>
      <QueryResult query={request} lines={6}>
        {() => (
          <DataTable label="What it did" heads={['Entity', 'What', 'In a sentence', 'By', 'When']}>
            {entries.map((entry) => (
              <Row key={entry.position} entry={entry} />
            ))}
          </DataTable>
        )}
      </QueryResult>
      <More pages={request} />
      {asking && <UndoDialog correlationId={correlationId} onClose={() => setAsking(false)} />}
    </div>
  )
}
