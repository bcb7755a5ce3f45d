import { objectsOf } from '../../../shared/json.ts'
import type { ApiClient } from '../../client/apiClient.ts'
import { mapConcurrently } from '../../client/mapConcurrently.ts'
import type { SourceEdge, SourceLineage } from '../content.ts'
import { ifFound } from '../plan.ts'

/** The edges to a table that dbt has stated, by the names of their upstreams. */
const readEdges = async (client: ApiClient, table: string): Promise<ReadonlyMap<unknown, SourceEdge>> => {
  const path = `lineage/table/name/${encodeURIComponent(table)}?source=dbt&up=1&down=0&columns=true`
  const { nodes, edges } = (await ifFound(client.get(path))) ?? {}
  const names = new Map(objectsOf(nodes).map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName]))
  const stated = objectsOf(edges).filter(({ to }) => names.get(to as string) === table)
  return new Map(
    stated.map(({ from, sql, columns }) => {
      const name = names.get(from as string)
      return [
        name,
        { from: name, ...(sql !== undefined && { sql }), ...(columns && { columns }) } as object as SourceEdge,
      ]
    }),
  )
}

/**
 * The lineage of which columns could not be read, with those that stand: a manifest without a statement says nothing about
 * them, and neither do missing columns of upstreams about a statement that is still the same.
 */
export const withStandingColumns = (
  client: ApiClient,
  lineage: readonly SourceLineage[],
): Promise<readonly SourceLineage[]> =>
  mapConcurrently(lineage, async (each) => {
    if (each.isUntraced !== true) return each
    const standing = await readEdges(client, each.fullyQualifiedName)
    const edges = each.edges.map((edge) => {
      const found = standing.get(edge.from)
      return found !== undefined && (edge.sql === undefined || edge.sql === found.sql) ? found : edge
    })
    return { ...each, edges }
  })
