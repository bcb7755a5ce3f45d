import type { SQLInputValue } from 'node:sqlite'
import {
  conditionsIn,
  isRange,
  isValuesOf,
  type Condition,
  type DocumentMatch,
  type MemberLayout,
  type Query,
  type Value,
  type ValuesOf,
} from './port.ts'
import { column, indexOn, isListMember, hasEntryNumbers, keyColumn, listTableName, orderOf } from './sqliteTables.ts'

interface Sql {
  readonly text: string
  readonly values: readonly SQLInputValue[]
}

const operators: Readonly<Record<string, string>> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' }

export const jsonOf = (values: readonly Value[]): string =>
  `[${values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))).join()}]`

const joinConditions = (conditions: readonly Sql[], joint = ' AND '): Sql => ({
  text: conditions.map(({ text }) => text).join(joint) || 'true',
  values: conditions.flatMap(({ values }) => values),
})

/** A subquery. If the member is part of the key, it is correlated: each value is looked up when it is needed. */
const inSubquery = (what: string, { of, member, where }: ValuesOf, not: string, outer: string): Sql => {
  const alias = `other_${outer}`
  const [{ text, values }, value] = [whereOf(of, where, () => alias), `${alias}.${column(member)}`]
  const from = `FROM ${of.name} AS ${alias}`
  if ((of as MemberLayout).key.includes(member))
    return { text: `${not}EXISTS (SELECT 1 ${from} WHERE ${value} = ${what} AND ${text})`, values }
  return { text: `${what} ${not}IN (SELECT ${value} ${from} WHERE ${value} IS NOT NULL AND ${text})`, values }
}

/** Up to so many values are parameters, padded to a power of two; reading them from JSON costs more. */
const maxInlineValues = 64

const inList = (what: string, values: readonly Value[]): Sql => {
  if (values.length === 0 || values.length > maxInlineValues)
    return { text: `${what} (SELECT value FROM json_each(?))`, values: [jsonOf(values)] }
  const places = 2 ** Math.ceil(Math.log2(values.length))
  const repeated = Array.from({ length: places - values.length }, () => values.at(-1))
  return { text: `${what} (${'?, '.repeat(places - 1)}?)`, values: [...values, ...repeated] as SQLInputValue[] }
}

/** @param outer the table of `what` */
const compare = (what: string, condition: Condition, outer: string): Sql => {
  if (!isRange(condition)) return { text: `${what} = ?`, values: [condition as SQLInputValue] }
  const comparisons = Object.entries(condition).map(([operator, value]): Sql => {
    const comparison = operators[operator]
    if (comparison !== undefined) return { text: `${what} ${comparison} ?`, values: [value as SQLInputValue] }
    const not = operator === '$in' ? '' : 'NOT '
    if (isValuesOf(value)) return inSubquery(what, value, not, outer)
    return inList(`${what} ${not}IN`, value as readonly Value[])
  })
  return joinConditions(comparisons)
}

/** The table or alias that has a member. */
type TableOf = (member: string) => string

const conditionOf = (layout: MemberLayout, [member, condition]: [string, Condition], tableOf: TableOf): Sql => {
  if (!isListMember(layout, member)) return compare(`${tableOf(member)}.${column(member)}`, condition, tableOf(member))
  if (!isRange(condition) || condition.$nin === undefined) return listCondition(layout, member, condition, tableOf)
  const { text, values } = listCondition(layout, member, { $in: condition.$nin }, tableOf)
  return { text: `NOT ${text}`, values }
}

/** Whether a list has such a text: an ordered one by its table. */
const listCondition = (layout: MemberLayout, list: string, condition: Condition, tableOf: TableOf): Sql => {
  const order = orderOf(layout, list)
  const { text, values } = compare('one.value', condition, tableOf(list))
  const here = order.map((member) => ` AND one.${column(member)} = ${tableOf(member)}.${column(member)}`).join('')
  const from = order.length > 0 ? listTableName(layout, list) : `json_each(${tableOf(list)}.${column(list)})`
  return { text: `EXISTS (SELECT 1 FROM ${from} AS one WHERE ${text}${here})`, values }
}

export const whereOf = (
  layout: MemberLayout,
  { $and = [], $or, $nor = [], ...where }: DocumentMatch<object>,
  tableOf: TableOf = () => layout.name,
): Sql => {
  const among = (matches: readonly DocumentMatch<object>[]) => matches.map((each) => whereOf(layout, each, tableOf))
  const alternatives = $or && joinConditions(among($or), ' OR ')
  return joinConditions([
    ...conditionsIn(where).map((condition) => conditionOf(layout, condition, tableOf)),
    ...among($and),
    ...(alternatives ? [{ text: `(${alternatives.text})`, values: alternatives.values }] : []),
    ...among($nor).map(({ text, values }) => ({ text: `NOT (${text})`, values })),
  ])
}

/** The table of a list with the conditions on the list and on the key, and the other conditions. */
const fromList = (layout: MemberLayout, where: DocumentMatch<object>, member: string) => {
  const [key] = layout.key as [string]
  const all = conditionsIn(where)
  const inList = all.flatMap(([name, condition]) =>
    name === member || name === key ? compare(name === key ? column(key) : 'value', condition, layout.name) : [],
  )
  const { [member as keyof typeof where]: _, ...others } = where
  const { text, values } = joinConditions(inList)
  const isAll = all.every(([name]) => name === member || name === key) && where.$or === undefined
  return { from: `${listTableName(layout, member)} WHERE ${text}`, values, others, isAll }
}

/** Documents by a text of an ordered list, in its order. */
const fromOrderedList = (layout: MemberLayout, where: DocumentMatch<object>, list: string, read: string): Source => {
  const inOrder = new Set(orderOf(layout, list))
  const { [list as keyof typeof where]: one, ...others } = where
  const { text, values } = joinConditions([
    compare('x.value', one as Condition, 'x'),
    whereOf(layout, others, (member) => (inOrder.has(member) ? 'x' : layout.name)),
  ])
  const isJoined = read !== '1' || text.includes(`${layout.name}.`)
  const joined = isJoined ? `CROSS JOIN ${layout.name} ON ${layout.name}.entry = x.entry` : ''
  return { text: `${listTableName(layout, list)} AS x ${joined} WHERE ${text}`, values, alias: 'x' }
}

const indexFor = (layout: MemberLayout, index: string | undefined): string => {
  if (index === undefined) return ''
  return index === layout.key[0] && !hasEntryNumbers(layout) ? 'NOT INDEXED' : `INDEXED BY ${indexOn(layout, index)}`
}

interface Source extends Sql {
  readonly alias: string
}

/** Table, index and conditions of a query. */
const sourceFor = (layout: MemberLayout, { where, index }: Query<object>, read: string): Source => {
  const { name } = layout
  if (!isListMember(layout, index)) {
    const { text, values } = whereOf(layout, where)
    return { text: `${name} ${indexFor(layout, index)} WHERE ${text}`, values, alias: name }
  }
  if (hasEntryNumbers(layout)) return fromOrderedList(layout, where, index, read)
  const { from, values, others, isAll } = fromList(layout, where, index)
  if (read === keyColumn(layout) && isAll) return { text: from, values, alias: listTableName(layout, index) }
  const rest = whereOf(layout, others)
  const found = `${keyColumn(layout)} IN (SELECT ${keyColumn(layout)} FROM ${from})`
  return {
    text: `${name} NOT INDEXED WHERE ${found} AND ${rest.text}`,
    values: [...values, ...rest.values],
    alias: name,
  }
}

const selected = (layout: MemberLayout, query: Query<object>, read: string): Source => {
  const member: string | undefined = query.merged
  if (member === undefined) {
    const { text, ...source } = sourceFor(layout, query, read)
    return { ...source, text: `SELECT ${read} FROM ${text}` }
  }
  const { [member as never]: condition, ...where } = query.where
  const { text, values } = sourceFor(layout, { ...query, where: { ...where, [member]: placeholder } }, read)
  const each = (condition as { $in: readonly SQLInputValue[] }).$in
  return {
    text: each.map(() => `SELECT ${read} FROM ${text}`).join(' UNION ALL '),
    values: each.flatMap((one) => values.map((value) => (value === placeholder ? one : value))),
    alias: layout.name,
  }
}

/** Stands for the value of the merged member. */
const placeholder = Buffer.alloc(0)

export const selectOf = (layout: MemberLayout, query: Query<object>, read: string): Sql => {
  const { text, values, alias } = selected(layout, query, read)
  const sort = Object.entries(query.sort ?? {}).map(
    ([member, sign]) => `${alias}.${column(member)}${sign === -1 ? ' DESC' : ''}`,
  )
  const order = sort.length === 0 ? '' : ` ORDER BY ${sort.join(', ')}`
  // With a bare parameter as a limit SQLite would plan the query each time.
  const bounds = [
    [' LIMIT +?', query.limit ?? (query.skip === undefined ? undefined : -1)],
    [' OFFSET +?', query.skip],
  ] as const
  const bounded = bounds.filter((bound): bound is readonly [(typeof bound)[0], number] => bound[1] !== undefined)
  return {
    text: `${text}${order}${bounded.map(([each]) => each).join('')}`,
    values: [...values, ...bounded.map(([, value]) => value)],
  }
}
