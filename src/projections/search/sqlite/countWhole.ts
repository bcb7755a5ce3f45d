import type { SQLInputValue } from 'node:sqlite'
import { ancestorFqns } from '../../../kinds/names.ts'
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

const inOrder = 'entities AS e INDEXED BY entities_in_order'

const sourceOf = ({ kinds, narrowedBy }: FacetFilter, status: number): Source => {
  const all = { from: inOrder, where: `${among('e.kind')} AND e.status = ?` }
  if (narrowedBy === undefined) return { ...all, values: [JSON.stringify(kinds), status] }
  const { name, value } = narrowedBy
  if (name === 'service') {
    const values = [JSON.stringify(kinds.filter(standsInService)), status, `${value}.`, `${value}/`]
    return { ...all, where: `${all.where} AND e.fqn > ? AND e.fqn < ?`, values }
  }
  return {
    from: 'edges AS x CROSS JOIN entities AS e ON e.entity = x.entity',
    where: `x.rel = ? AND x.target = ? AND ${among('x.kind')} AND x.status = ?`,
    values: [relationOf(name), value, JSON.stringify(kinds), status],
  }
}

/** SQL for the service at the start of an FQN; the whole FQN if the name may be quoted. */
const service = `CASE WHEN e.fqn LIKE '"%' THEN e.fqn ELSE substr(e.fqn, 1, instr(e.fqn, '.') - 1) END`

const columns: Partial<Record<FacetName, string>> = { kind: 'e.kind', entityStatus: 'e.entity_status', service }

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
    const all = `x.rel = ? AND ${among('x.kind')} AND x.status = ?`
    return { value: 'x.target', from: 'edges AS x', where: all, values: [relationOf(name), kinds, status] }
  }
  return {
    value: 'p.value ->> 1',
    from: `${from} CROSS JOIN json_each(e.edges) AS p`,
    where: `${where} AND e.edges <> '' AND p.value ->> 0 = ?`,
    values: [...values, relationOf(name)],
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
    if (name !== 'service') return counts
    return counts.map(([text, count]) => [text.startsWith('"') ? (ancestorFqns(text)[0] as string) : text, count])
  }
  return Object.fromEntries(names.map((name) => [name, facetFrom(countsOf(name))]))
}
