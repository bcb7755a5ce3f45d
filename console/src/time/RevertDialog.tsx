import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/client.ts'
import { lineaged } from '../api/kinds.ts'
import { entityQuery, refresh, refreshOvertaken } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { idPath } from '../api/reads.ts'
import { useShown } from '../entity/context.ts'
import { askImpact, isFelt } from '../lineage/impact.ts'
import { ImpactList } from '../lineage/ImpactList.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { formatVersion } from '../ui/format.ts'
import { Problems, Retry, Skeleton } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import { Changes } from './Changes.tsx'
import { changesBetween } from './changes.ts'
import { revertedMessage, type LeftByRevert } from './reverted.ts'

/** Shows what going back to a version would change, and does it. */
export const RevertDialog = ({ version, onClose }: { version: Entity; onClose: () => void }) => {
  const { kind } = useShown()
  const navigate = useNavigate()
  const now = useQuery(entityQuery(kind.name, version.fullyQualifiedName))
  const changes = now.data ? changesBetween(now.data.entity, version) : []
  const impact = useQuery({
    queryKey: ['impact', version.id, version.version],
    queryFn: () => {
      const roots = (kind.trees ?? []).map((tree) => tree.split('.')[0] as string)
      return askImpact(kind.name, version.id, Object.fromEntries(roots.map((root) => [root, version[root] ?? null])))
    },
    enabled: lineaged.has(kind.name) && kind.trees !== undefined,
  })
  const revert = useMutation({
    mutationFn: () =>
      call<LeftByRevert>('POST', `${idPath(kind.name, version.id)}/revert`, {
        body: { version: formatVersion(version.version) },
        ifMatch: now.data?.etag,
      }),
    onSuccess: async ({ data }) => {
      onClose()
      await refresh()
      await navigate({ to: '.', search: {} })
      toast(revertedMessage(version.version, data))
    },
    onError: refreshOvertaken,
  })
  return (
    <Dialog
      wide
      title={`Revert to version ${formatVersion(version.version)}?`}
      onClose={onClose}
      action={{ words: 'Revert', by: revert, icon: 'restore', disabled: changes.length === 0 || impact.isLoading }}
    >
      <p>Nothing is lost: this is a new change, and every version stays in the history.</p>
      {now.isPending ? (
        <Skeleton />
      ) : (
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
      <Problems error={now.error} />
    </Dialog>
  )
}
