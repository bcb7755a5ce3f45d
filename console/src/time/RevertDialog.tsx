import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/client.ts'
import { lineaged } from '../api/kinds.ts'
import { entityQuery, refresh } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { entityRead, idPath } from '../api/reads.ts'
import { useShown } from '../entity/context.ts'
import { askImpact, isFelt } from '../lineage/impact.ts'
import { ImpactList } from '../lineage/ImpactList.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { formatVersion } from '../ui/format.ts'
import { Problems, Retry, Skeleton } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import { Changes } from './Changes.tsx'
import { changesBetween } from './changes.ts'
import { leftWords, revertedMessage, type LeftByRevert } from './reverted.ts'

/** Shows what going back to a version would change, and does it. */
export const RevertDialog = ({ version, onClose }: { version: Entity; onClose: () => void }) => {
  const { kind } = useShown()
  const navigate = useNavigate()
  const now = useQuery(entityQuery(kind.name, version.fullyQualifiedName))
  const path = `${idPath(kind.name, version.id)}/revert`
  const body = { version: formatVersion(version.version) }
  const preview = useQuery({
    queryKey: ['revert', version.id, version.version, now.data?.etag],
    queryFn: async ({ signal }) => {
      const { fields } = entityRead(kind.name, version.fullyQualifiedName).query
      return (await call<Entity & LeftByRevert>('POST', path, { body, query: { dryRun: true, fields }, signal })).data
    },
    enabled: now.data !== undefined,
  })
  const { unreadable, hardDeleted, ...after } = preview.data ?? {}
  const left = leftWords({ unreadable, hardDeleted })
  const changes = now.data && preview.data ? changesBetween(now.data.entity, after) : []
  const impact = useQuery({
    queryKey: ['impact', version.id, version.version],
    queryFn: () => {
      const roots = (kind.trees ?? []).map((tree) => tree.split('.')[0] as string)
      return askImpact(kind.name, version.id, Object.fromEntries(roots.map((root) => [root, version[root] ?? null])))
    },
    enabled: lineaged.has(kind.name) && kind.trees !== undefined,
  })
  const revert = useMutation({
    mutationFn: () => call<LeftByRevert>('POST', path, { body, ifMatch: now.data?.etag }),
    onSuccess: async ({ data }) => {
      onClose()
      await refresh()
      await navigate({ to: '.', search: {} })
      toast(revertedMessage(version.version, data))
    },
  })
  return (
    <Dialog
      wide
      title={`Revert to version ${formatVersion(version.version)}?`}
      onClose={onClose}
      action={{ words: 'Revert', by: revert, icon: 'restore', disabled: changes.length === 0 || impact.isLoading }}
    >
      <p>Nothing is lost: this is a new change, and every version stays in the history.</p>
      {left !== '' && <p className="notice">It will be what it was, {left}.</p>}
      {preview.isPending && now.error === null && <Skeleton />}
      {preview.data && (
        <>
          <div className="diff-heads">
            <span>As it is now</span>
            <span>As it will be</span>
          </div>
          <Changes changes={changes} />
          {impact.data && isFelt(impact.data) && <ImpactList impact={impact.data} />}
        </>
      )}
      {impact.isError && (
        <Retry words="What this breaks is not known." error={impact.error} retry={() => void impact.refetch()} />
      )}
      <Problems error={now.error ?? preview.error} />
    </Dialog>
  )
}
