import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { entityQuery } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { useShown } from '../entity/context.ts'
import { Button } from '../ui/Button.tsx'
import { formatTime, formatVersion } from '../ui/format.ts'
import { Failure, Skeleton } from '../ui/States.tsx'
import { Changes } from './Changes.tsx'
import { changesBetween } from './changes.ts'

const Head = ({ entity }: { entity: Entity }) => (
  <span>
    Version {formatVersion(entity.version)}
    <small>
      {formatTime(entity.updatedAt)}, {entity.updatedBy}
    </small>
  </span>
)

/** Two states of an entity side by side. @param bare without heading: it stands within a list */
export const Compare = ({ from, to, bare = false }: { from: string; to: string; bare?: boolean }) => {
  const { kind, loaded } = useShown()
  const navigate = useNavigate()
  const { fullyQualifiedName } = loaded.entity
  const before = useQuery(entityQuery(kind.name, fullyQualifiedName, from))
  const after = useQuery(entityQuery(kind.name, fullyQualifiedName, to === 'now' ? undefined : to))
  const error = before.error ?? after.error
  if (error) return <Failure error={error} />
  if (!before.data || !after.data) return <Skeleton lines={4} />
  const changes = <Changes changes={changesBetween(before.data.entity, after.data.entity)} />
  if (bare) return changes
  return (
    <div className="compare">
      <div className="section-head">
        <h2>Differences</h2>
        <Button look="quiet" icon="left" onClick={() => void navigate({ to: '.', search: { tab: 'history' } })}>
          All changes
        </Button>
      </div>
      <div className="diff-heads">
        <Head entity={before.data.entity} />
        <Head entity={after.data.entity} />
      </div>
      {changes}
    </div>
  )
}
