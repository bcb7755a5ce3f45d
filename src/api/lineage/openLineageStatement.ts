import { completedSince, runsIn, type Run, type RunDetails } from '../../commands/runs.ts'
import type { Entity } from '../../commands/evolve.ts'
import { enumerate, type LineageEdge } from '../../events/verbs.ts'
import type { Dataset, DatasetAsset } from '../../kinds/datasets.ts'
import type { Fact } from '../../kinds/defineKind.ts'
import type { columnPaths } from '../../kinds/members/assetColumns.ts'
import { canonicalJson, sameJson } from '../../shared/json.ts'
import { columnsWritten, datasetOf, type OpenLineageEvent } from './openLineage.ts'

export interface Statement extends RunDetails {
  readonly event: OpenLineageEvent
  readonly pipeline: Entity
  readonly inputs: readonly Dataset[]
  readonly outputs: readonly Dataset[]
  readonly time: string
  /** If the event is of one: its datasets and its end count, instead of those of the event. */
  readonly run: Run | undefined
}

/** What is newest says where an output comes from, the end of a run or an event without one, in whatever order they arrive. */
export const outdated =
  ({ run, time }: Pick<Statement, 'run' | 'time'>, asset: DatasetAsset, assetOf: AssetOf) =>
  (pipeline: Fact | undefined, stated: readonly LineageEdge[]): string | undefined => {
    const endedAt = run?.endedAt ?? time
    const isNewer = ({ time: said = '' }: LineageEdge): boolean =>
      said > endedAt || (said === endedAt && run !== undefined)
    if (stated.some(isNewer)) return 'a later event says where it comes from'
    const runs = runsIn(pipeline?.members)
    const later = completedSince(runs, endedAt, run?.id)
    if (later.some(({ outputs }) => outputs.some((each) => assetOf(each)?.id === asset.id)))
      return 'a run that ended later says where it comes from'
    const present = runs.find(({ id }) => id === run?.id)
    return run !== undefined && !sameJson(present, run)
      ? 'another event of the run, which came at the same time, says where it comes from'
      : undefined
  }

/** The columns that a run wrote and the catalog does not have, where its event tells the schemas. */
export const unknownColumns = ({ outputs }: OpenLineageEvent, assetOf: AssetOf, columnsIn: ColumnsIn): string[] =>
  (outputs ?? []).flatMap((sent) => {
    const asset = assetOf(datasetOf(sent))
    const known = asset && columnsIn(asset)
    const missing = known ? columnsWritten(sent).filter((name) => !known.has(name.toLowerCase())) : []
    return missing.length === 0
      ? []
      : [`${asset?.fullyQualifiedName}: has no column ${enumerate(missing)}, and events add none`]
  })

export type AssetOf = (dataset: Dataset) => DatasetAsset | undefined

/** The columns of an asset by their names in lower case; `undefined` if they were not read. */
export type ColumnsIn = (asset: DatasetAsset) => ReadonlyMap<string, ReturnType<typeof columnPaths>> | undefined

/** A column as the asset has it, also where the case differs, if that leaves no doubt. */
const columnNamed = (name: string, columns: ReturnType<ColumnsIn>): string => {
  const alike = columns?.get(name.toLowerCase()) ?? []
  const same = alike.filter((each) => each.name === name)
  const [found, ...others] = same.length > 0 ? same : alike
  return found === undefined || others.length > 0 ? name : found.path
}

/** Which columns of one asset are made of those of another, each once, as the assets name them. */
export const makeColumnMap = (told: RunDetails['columns'] = [], assetOf: AssetOf, columnsIn: ColumnsIn) => {
  const mapped = Map.groupBy(told, ({ input, output }) => `${assetOf(input)?.id} ${assetOf(output)?.id}`)
  return (upstream: DatasetAsset, asset: DatasetAsset) => {
    const columns = mapped.get(`${upstream.id} ${asset.id}`)?.flatMap((each) => each.columns)
    const named = columns?.map(({ from, to, ...how }) => ({
      from: from.map((name) => columnNamed(name, columnsIn(upstream))),
      to: columnNamed(to, columnsIn(asset)),
      ...how,
    }))
    const distinct = named && [...new Map(named.map((column) => [canonicalJson(column), column]))]
    return distinct?.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, column]) => column)
  }
}
