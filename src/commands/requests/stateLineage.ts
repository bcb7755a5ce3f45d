import { incarnationKey, type Reference } from '../../events/events.ts'
import type { LineageEdge } from '../../events/verbs.ts'
import type { Fact, Problem, ReferenceInput } from '../../kinds/defineKind.ts'
import { assetKinds, kindNamed, lineageKind, pipelineKind, queryKind } from '../../kinds/registry/kinds.ts'
import { childFqn, entityId } from '../../kinds/names.ts'
import { makeNameResolver, type Context } from '../caller.ts'
import { candidateIds, findReference } from './resolveRequest.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import { referenceTo } from '../lookup.ts'
import { standingUpstream, statedEdges } from '../statements.ts'
import type { Cause } from '../recording.ts'
import type { Reads } from '../unitOfWork/reads.ts'
import type { Precondition, Request } from '../unitOfWork/request.ts'

/** An upstream in a request. */
export interface EdgeInput extends Pick<LineageEdge, 'description' | 'sql' | 'columns'> {
  readonly from: ReferenceInput
  readonly pipeline?: ReferenceInput
  readonly query?: ReferenceInput
}

const [pipelineKinds, queryKinds] = [[pipelineKind], [queryKind]]

/** A condition of a statement on the state of an entity. */
interface StatementCondition {
  readonly entityId: string
  /** Why the statement is refused; `undefined` if it is not. @param stated edges of the source so far */
  readonly refusal: (entity: Fact | undefined, stated: readonly LineageEdge[]) => string | undefined
}

export interface LineageStatement {
  /** The asset; with {@link early} it need not exist yet. */
  readonly asset: { readonly id: string; readonly type: string; readonly fullyQualifiedName: string }
  readonly source: string
  readonly edges: readonly EdgeInput[]
  /** When it was made, if that decides between statements of the source: of several at the same time, all count. */
  readonly time?: string | undefined
  /** Whether both ends may be created later; the edge is shown as soon as they exist. */
  readonly early?: boolean
  readonly condition?: StatementCondition
  /** Whether {@link mayState} looks at the members of the asset. */
  readonly readsAsset: boolean
  /** Called with what is stated of the asset so far, and the asset. @throws if the caller may not state it */
  readonly mayState: (lineage: Entity | undefined, asset: Fact | undefined) => void
}

/** The present incarnation of an asset, or the one that begins with its next event. */
const presentOrNext = (reads: Reads, input: ReferenceInput): Reference => {
  const { id = '', type = '', fullyQualifiedName = '' } = input
  const found = reads.get(id)
  if (found === undefined) return { id, type, fullyQualifiedName }
  return referenceTo(found.status === 'gone' ? { ...found, born: found.revision + 1n } : found)
}

const edgesIn = async (
  reads: Reads,
  wanted: LineageStatement,
  naming: Context,
  { ids, stated }: { readonly ids: readonly string[]; readonly stated: readonly LineageEdge[] },
): Promise<LineageEdge[]> => {
  const { asset, edges, time, early = false } = wanted
  const problems: Problem[] = []
  const resolveName = await makeNameResolver(naming, reads, ids)
  const held = new Set(stated.map(({ from }) => incarnationKey(from)))
  const find = (input: ReferenceInput, kinds: readonly string[], path: string): Reference | undefined =>
    early
      ? presentOrNext(reads, input)
      : findReference({ input, kinds, path, current: () => held }, { resolveName, naming, problems })
  const found = edges.flatMap(({ from, pipeline, query, ...details }, at): LineageEdge[] => {
    const path = `/edges/${at}`
    const upstream = find(from, assetKinds, `${path}/from`)
    const by = pipeline && find(pipeline, pipelineKinds, `${path}/pipeline`)
    const how = query && find(query, queryKinds, `${path}/query`)
    if (upstream?.id === asset.id && !early)
      problems.push({ path: `${path}/from`, message: 'is the asset itself: an asset is not upstream of itself' })
    if (upstream === undefined || upstream.id === asset.id) return []
    const through = { ...(by && { pipeline: by }), ...(how && { query: how }) }
    return [{ from: upstream, ...details, ...through, ...(time !== undefined && { time }) }]
  })
  if (problems.length > 0) throw invalid(problems)
  return found
}

const referredIn = ({ edges }: LineageStatement, naming: Context): string[] =>
  edges.flatMap(({ from, pipeline, query }) => [
    ...candidateIds(from, assetKinds, naming),
    ...(pipeline ? candidateIds(pipeline, pipelineKinds, naming) : []),
    ...(query ? candidateIds(query, queryKinds, naming) : []),
  ])

/** States all upstreams of an asset according to one source. */
export const stateLineage = (
  naming: Context,
  wanted: LineageStatement,
  cause: Cause,
  precondition?: Precondition,
): Request => {
  const { asset, source, time, condition, early = false } = wanted
  const definition = kindNamed(lineageKind)
  const name = `${asset.type}Lineage`
  const id = entityId(definition.name, asset.id)
  const fullyQualifiedName = childFqn(asset.fullyQualifiedName, name)
  const ids = referredIn(wanted, naming)
  const whole = [id, ...(condition === undefined ? [] : [condition.entityId]), ...(wanted.readsAsset ? [asset.id] : [])]
  return {
    cause,
    target: { kind: definition.name, id },
    ids: whole,
    referred: [asset.id, ...ids],
    precondition,
    exhausted: 'busy',
    resolve: async (reads) => {
      const found = reads.get(asset.id)
      if (found?.status !== 'live' && !(early && found === undefined))
        throw notFound(`There is no ${asset.type} ${asset.fullyQualifiedName}.`)
      if (found === undefined) reads.recordNotEnded({ kind: asset.type, id: asset.id })
      const before = reads.own(id)
      const stated = statedEdges(standingUpstream(before), source)
      const refusal = condition?.refusal(reads.facts.get(condition.entityId), stated)
      if (refusal !== undefined) throw conflict(refusal)
      wanted.mayState(before, reads.facts.get(asset.id))
      const reference = found === undefined ? asset : referenceTo(found)
      const parent = { reference, deleted: false, members: {} }
      const simultaneous = time === undefined ? [] : stated.filter((edge) => edge.time === time)
      const edges = [...simultaneous, ...(await edgesIn(reads, wanted, naming, { ids, stated }))]
      const location = { id, name, fullyQualifiedName, parent }
      return {
        definition,
        subject: { kind: definition.name, id, fullyQualifiedName },
        before,
        command: { type: 'StateLineage', location, asset: reference, source, edges },
      }
    },
  }
}
