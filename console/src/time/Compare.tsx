import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { entityQuery } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { useShown } from '../entity/context.ts'
import { Button } from '../ui/Button.tsx'
import { formatTime, formatVersion } from '../ui/format.ts'
import { QueryResult } from '../ui/States.tsx'
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
  const sides = (was: Entity, is: Entity) => (
    <>
      {!bare && (
        <div className="diff-heads">
          <Head entity={was} />
          <Head entity={is} />
        </div>
      )}
      <Changes changes={changesBetween(was, is)} />
    </>
  )
  const shown = (
    <QueryResult query={before}>
      {(was) => <QueryResult query={after}>{(is) => sides(was.entity, is.entity)}</QueryResult>}
    </QueryResult>
  )
  if (bare) return shown
  return (
    <div className="compare">
      <div className="section-head">
        <h2>Differences</h2>
        <Button look="quiet" icon="left" onClick={() => void navigate({ to: '.', search: { tab: 'history' } })}>
          All changes
        </Button>
      </div>
      {shown}
    </div>
  )
}
