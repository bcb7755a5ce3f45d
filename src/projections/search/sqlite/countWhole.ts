import type { SQLInputValue } from 'node:sqlite'
import { ancestorFqns } from '../../../kinds/names.ts'
import { edgeIn, edgeText } from '../../entities/entityDocuments.ts'
import { decodeOrder, placesBelow, separator } from '../../entities/place.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { facetFrom, relationOf, standsInService, type FacetName, type Facets } from '../facets.ts'
import type { FacetFilter } from '../find.ts'

/** Entities `e`, and conditions on them. */
interface Source {
  readonly from: string
  readonly where: string
  readonly values: readonly SQLInputValue[]
}

const among = (column: string): string => `${column} IN (SELECT value FROM json_each(?))`

const inOrder = 'entities AS e INDEXED BY entities_by_kind'

const byEdge = 'entities_edges AS x'

const sourceOf = ({ kinds, narrowedBy }: FacetFilter, status: number): Source => {
  const all = { from: inOrder, where: `${among('e.kind')} AND e.status = ?` }
  if (narrowedBy === undefined) return { ...all, values: [JSON.stringify(kinds), status] }
  const { name, value } = narrowedBy
  if (name === 'service') {
    const { $gte, $lt } = placesBelow(value)
    const values = [JSON.stringify(kinds.filter(standsInService)), status, $gte, $lt]
    return { ...all, where: `${all.where} AND e.place >= ? AND e.place < ?`, values }
  }
  return {
    from: `${byEdge} CROSS JOIN entities AS e ON e.entry = x.entry`,
    where: `x.value = ? AND ${among('x.kind')} AND x.status = ?`,
    values: [edgeText({ rel: relationOf(name), target: value }), JSON.stringify(kinds), status],
  }
}

/** SQL for the service at the start of a place; all of the place if the name may be quoted. */
const service = `CASE WHEN e.place LIKE '"%' THEN e.place ELSE substr(e.place, 1, instr(e.place, '.') - 1) END`

const targetIn = (text: string): string => edgeIn(text).target

const serviceIn = (text: string): string => {
  const fqn = decodeOrder(text.split(separator)[0] as string)
  return fqn.startsWith('"') ? (ancestorFqns(fqn)[0] as string) : fqn
}

const columns: Partial<Record<FacetName, string>> = { kind: 'e.kind', entityStatus: 'e."entityStatus"', service }

/** The range of edges of a facet. */
const edgesOf = (name: FacetName): string[] => [' ', '!'].map((end) => relationOf(name) + end)

/** SQL for the value of a facet, and the source of entities that have one. */
const countedFor = (name: FacetName, filter: FacetFilter, status: number): Source & { readonly value: string } => {
  const source = sourceOf(filter, status)
  const { from, where, values } = source
  const column = columns[name]
  if (name === 'service') {
    const inServices = JSON.stringify(filter.kinds.filter(standsInService))
    return { value: service, from, where: `${where} AND ${among('e.kind')}`, values: [...values, inServices] }
  }
  if (column !== undefined) return { ...source, value: column }
  if (filter.narrowedBy === undefined) {
    const kinds = JSON.stringify(filter.kinds)
    const all = `x.value >= ? AND x.value < ? AND ${among('x.kind')} AND x.status = ?`
    return { value: 'x.value', from: byEdge, where: all, values: [...edgesOf(name), kinds, status] }
  }
  return {
    value: 'p.value',
    from: `${from} CROSS JOIN json_each(e.edges) AS p`,
    where: `${where} AND e.edges <> '[]' AND p.value >= ? AND p.value < ?`,
    values: [...values, ...edgesOf(name)],
  }
}

/** Counts everything by facet value. */
export const countWhole = (
  file: SqliteFile,
  filter: FacetFilter,
  status: number,
  names: readonly FacetName[],
): Facets => {
  const countsOf = (name: FacetName): [string, number][] => {
    const { value, from, where, values } = countedFor(name, filter, status)
    const read = file.statement(`SELECT ${value}, count(*) FROM ${from} WHERE ${where} GROUP BY 1`)
    const counts = (read.all(...values) as [string, number][]).filter(([text]) => text !== '')
    const valueIn = name === 'service' ? serviceIn : columns[name] === undefined ? targetIn : (text: string) => text
    return counts.map(([text, count]) => [valueIn(text), count])
  }
  return Object.fromEntries(names.map((name) => [name, facetFrom(countsOf(name))]))
}
