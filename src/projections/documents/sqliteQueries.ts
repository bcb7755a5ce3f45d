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
import { column, indexOn, isListMember, isNumbered, keyColumn, listTableName, orderOf } from './sqliteTables.ts'

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

/** Whether there is such a document. Where the member is part of its key, each is looked for when it is needed. */
const isAmong = (what: string, { of, member, where }: ValuesOf, not: string, outer: string): Sql => {
  const alias = `other_${outer}`
  const [{ text, values }, value] = [whereOf(of, where, () => alias), `${alias}.${column(member)}`]
  const from = `FROM ${of.name} AS ${alias}`
  if ((of as MemberLayout).key.includes(member))
    return { text: `${not}EXISTS (SELECT 1 ${from} WHERE ${value} = ${what} AND ${text})`, values }
  return { text: `${what} ${not}IN (SELECT ${value} ${from} WHERE ${value} IS NOT NULL AND ${text})`, values }
}

/** So many values stand in the statement, the last one again up to a power of two: reading them from JSON is dearer. */
const fewValues = 64

const inList = (what: string, values: readonly Value[]): Sql => {
  if (values.length === 0 || values.length > fewValues)
    return { text: `${what} (SELECT value FROM json_each(?))`, values: [jsonOf(values)] }
  const places = 2 ** Math.ceil(Math.log2(values.length))
  const repeated = Array.from({ length: places - values.length }, () => values.at(-1))
  return { text: `${what} (${'?, '.repeat(places - 1)}?)`, values: [...values, ...repeated] as SQLInputValue[] }
}

/** @param outer the table of what is compared */
const compared = (what: string, condition: Condition, outer: string): Sql => {
  if (!isRange(condition)) return { text: `${what} = ?`, values: [condition as SQLInputValue] }
  const comparisons = Object.entries(condition).map(([operator, value]): Sql => {
    const comparison = operators[operator]
    if (comparison !== undefined) return { text: `${what} ${comparison} ?`, values: [value as SQLInputValue] }
    const not = operator === '$in' ? '' : 'NOT '
    if (isValuesOf(value)) return isAmong(what, value, not, outer)
    return inList(`${what} ${not}IN`, value as readonly Value[])
  })
  return joinConditions(comparisons)
}

/** What has a member: a table, or what leads to it. */
type Holder = (member: string) => string

const conditionOf = (layout: MemberLayout, [member, condition]: [string, Condition], holder: Holder): Sql => {
  if (!isListMember(layout, member)) return compared(`${holder(member)}.${column(member)}`, condition, holder(member))
  if (!isRange(condition) || condition.$nin === undefined) return holding(layout, member, condition, holder)
  const { text, values } = holding(layout, member, { $in: condition.$nin }, holder)
  return { text: `NOT ${text}`, values }
}

/** Whether a list has such a text: an ordered one is looked for where it leads here. */
const holding = (layout: MemberLayout, list: string, condition: Condition, holder: Holder): Sql => {
  const order = orderOf(layout, list)
  const { text, values } = compared('one.value', condition, holder(list))
  const here = order.map((member) => ` AND one.${column(member)} = ${holder(member)}.${column(member)}`).join('')
  const from = order.length > 0 ? listTableName(layout, list) : `json_each(${holder(list)}.${column(list)})`
  return { text: `EXISTS (SELECT 1 FROM ${from} AS one WHERE ${text}${here})`, values }
}

export const whereOf = (
  layout: MemberLayout,
  { $and = [], $or, $nor = [], ...where }: DocumentMatch<object>,
  holder: Holder = () => layout.name,
): Sql => {
  const among = (matches: readonly DocumentMatch<object>[]) => matches.map((each) => whereOf(layout, each, holder))
  const alternatives = $or && joinConditions(among($or), ' OR ')
  return joinConditions([
    ...conditionsIn(where).map((condition) => conditionOf(layout, condition, holder)),
    ...among($and),
    ...(alternatives ? [{ text: `(${alternatives.text})`, values: alternatives.values }] : []),
    ...among($nor).map(({ text, values }) => ({ text: `NOT (${text})`, values })),
  ])
}

/** What is found along a list, with the part of its condition that is about the key. */
const alongList = (layout: MemberLayout, where: DocumentMatch<object>, member: string) => {
  const [key] = layout.key as [string]
  const all = conditionsIn(where)
  const inList = all.flatMap(([name, condition]) =>
    name === member || name === key ? compared(name === key ? column(key) : 'value', condition, layout.name) : [],
  )
  const { [member as keyof typeof where]: _, ...others } = where
  const { text, values } = joinConditions(inList)
  const isAll = all.every(([name]) => name === member || name === key) && where.$or === undefined
  return { from: `${listTableName(layout, member)} WHERE ${text}`, values, others, isAll }
}

/** What is found along an ordered list: where one text of it stands, in the order of that. */
const alongOrdered = (layout: MemberLayout, where: DocumentMatch<object>, list: string, read: string): Source => {
  const inOrder = new Set(orderOf(layout, list))
  const { [list as keyof typeof where]: one, ...others } = where
  const { text, values } = joinConditions([
    compared('x.value', one as Condition, 'x'),
    whereOf(layout, others, (member) => (inOrder.has(member) ? 'x' : layout.name)),
  ])
  const isJoined = read !== '1' || text.includes(`${layout.name}.`)
  const joined = isJoined ? `CROSS JOIN ${layout.name} ON ${layout.name}.entry = x.entry` : ''
  return { text: `${listTableName(layout, list)} AS x ${joined} WHERE ${text}`, values, alias: 'x' }
}

const indexFor = (layout: MemberLayout, along: string | undefined): string => {
  if (along === undefined) return ''
  return along === layout.key[0] && !isNumbered(layout) ? 'NOT INDEXED' : `INDEXED BY ${indexOn(layout, along)}`
}

interface Source extends Sql {
  readonly alias: string
}

/** What is read, from where and on what condition. */
const sourceFor = (layout: MemberLayout, { where, along }: Query<object>, read: string): Source => {
  const { name } = layout
  if (!isListMember(layout, along)) {
    const { text, values } = whereOf(layout, where)
    return { text: `${name} ${indexFor(layout, along)} WHERE ${text}`, values, alias: name }
  }
  if (isNumbered(layout)) return alongOrdered(layout, where, along, read)
  const { from, values, others, isAll } = alongList(layout, where, along)
  if (read === keyColumn(layout) && isAll) return { text: from, values, alias: listTableName(layout, along) }
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

/** Stands for each of several values, for which the condition is the same. */
const placeholder = Buffer.alloc(0)

export const selectOf = (layout: MemberLayout, query: Query<object>, read: string): Sql => {
  const { text, values, alias } = selected(layout, query, read)
  const sort = Object.entries(query.sort ?? {}).map(
    ([member, sign]) => `${alias}.${column(member)}${sign === -1 ? ' DESC' : ''}`,
  )
  const order = sort.length === 0 ? '' : ` ORDER BY ${sort.join(', ')}`
  // For a bare parameter as a limit SQLite would plan each time anew.
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
