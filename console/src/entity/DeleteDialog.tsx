import { useMutation, useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/client.ts'
import type { Kind } from '../api/kinds.ts'
import { useMay, useMe } from '../api/permissions.ts'
import { queryClient, refresh } from '../api/queries.ts'
import { idPath } from '../api/reads.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Skeleton } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import { belowWords, countsBelow } from './below.ts'
import { useShown } from './context.ts'

/** What goes along: whoever deletes for good, deletes what is deleted already as well. */
const useBelow = (kind: Kind, fqn: string, hard: boolean) => {
  const me = useMe()
  return useQueries({
    queries: countsBelow(me, kind, fqn, hard ? 'all' : undefined),
    combine: (answers) => ({
      below: answers.flatMap(({ data }) => (data && data.count > 0 ? [data] : [])),
      counting: answers.some(({ isPending }) => isPending),
      isUnknown: answers.some(({ isError }) => isError),
    }),
  })
}

/** Asks before something is deleted, and says what goes along. */
export const DeleteDialog = ({ onClose }: { onClose: () => void }) => {
  const { kind, loaded } = useShown()
  const { entity, etag } = loaded
  const navigate = useNavigate()
  const maySoft = useMay('delete', kind.name, entity) && !entity.deleted
  const mayHard = useMay('hardDelete', kind.name, entity)
  const [hard, setHard] = useState(!maySoft)
  const { below, counting, isUnknown } = useBelow(kind, entity.fullyQualifiedName, hard)
  const [withBelow, setWithBelow] = useState(false)
  const remove = useMutation({
    mutationFn: () =>
      call('DELETE', idPath(kind.name, entity.id), {
        query: { recursive: below.length > 0 || withBelow || undefined, hardDelete: hard || undefined },
        ifMatch: etag,
      }),
    onSuccess: async () => {
      onClose()
      if (hard) {
        await navigate({ to: '/' })
        queryClient.removeQueries({ queryKey: ['entity', kind.name, entity.fullyQualifiedName] })
      }
      await refresh()
      toast(hard ? 'Deleted for good' : 'Deleted. You can restore it.')
    },
    // There may be more below it by now.
    onError: refresh,
  })
  return (
    <Dialog
      title={`Delete ${entity.displayName ?? entity.name}?`}
      onClose={onClose}
      action={{
        words: hard ? 'Delete for good' : 'Delete',
        by: remove,
        look: 'danger',
        icon: 'trash',
        disabled: counting,
      }}
    >
      {counting && <Skeleton lines={1} label="Counting what goes with it" />}
      {!counting && below.length > 0 && (
        <p>
          This also deletes{' '}
          {below.map((each, at) => (
            <span key={each.name}>
              {at > 0 && (at === below.length - 1 ? ' and ' : ', ')}
              <strong>{belowWords(each)}</strong>
            </span>
          ))}
          , each with its test cases and its contract.{hard && ' What was deleted before is counted, too.'}
        </p>
      )}
      {isUnknown && (
        <label className="check">
          <input type="checkbox" checked={withBelow} onChange={(event) => setWithBelow(event.target.checked)} />
          Delete everything below it too: not all of that could be counted
        </label>
      )}
      {!counting && !isUnknown && below.length === 0 && (
        <p>Its test cases and its contract, if any, are deleted with it.</p>
      )}
      {maySoft && mayHard && (
        <label className="check">
          <input type="checkbox" checked={hard} onChange={(event) => setHard(event.target.checked)} />
          Delete for good: it cannot be restored; only its history stays
        </label>
      )}
      {!hard && <p className="hint">It can be restored together with everything deleted with it.</p>}
    </Dialog>
  )
}
