import { typedJson } from '../api/typedJson.ts'
import type { ProblemDetail, Reference } from '../api/types.ts'
import { asLabel } from '../entity/references.ts'
import type { Control, Member } from './schema.ts'

/** A column as it is typed. */
export interface ColumnDraft {
  readonly name: string
  readonly dataType: string
  readonly description: string
}

/** What stands in a control; a text unless it is chosen. */
export type Value = string | readonly Reference[] | readonly ColumnDraft[]

/** What stands in the controls of a form, by the paths of their members. */
export type Values = Readonly<Record<string, Value>>

export const textAt = (values: Values, path: string): string => {
  const value = values[path]
  return typeof value === 'string' ? value : ''
}

export const referencesAt = (values: Values, path: string): readonly Reference[] => {
  const value = values[path]
  return Array.isArray(value) ? (value as readonly Reference[]) : []
}

export const columnsAt = (values: Values, path: string): readonly ColumnDraft[] => {
  const value = values[path]
  return Array.isArray(value) ? (value as readonly ColumnDraft[]) : []
}

const asReference = ({ id, type }: Reference) => ({ id, type })

type References = Extract<Control, { readonly type: 'references' }>

const labels = new Set(['tag', 'glossaryTerm'])

const referenced = (references: readonly Reference[], { kinds, single }: References): unknown => {
  const all = references.map((each) => {
    if (!labels.has(each.type) || single) return asReference(each)
    return kinds.length > 1 ? asLabel(each) : each.fullyQualifiedName
  })
  return single ? all[0] : all
}

const columnOf = ({ name, dataType, description }: ColumnDraft) => ({
  name: name.trim(),
  ...(dataType !== '' && { dataType }),
  ...(description !== '' && { description }),
})

/** @returns `undefined` where nothing was given */
const valueOf = ({ path, control }: Member, values: Values): unknown => {
  if (control.type === 'group') {
    const body = bodyOf(control.members, values)
    return Object.keys(body).length === 0 ? undefined : body
  }
  if (control.type === 'references') {
    const chosen = referencesAt(values, path)
    return chosen.length === 0 ? undefined : referenced(chosen, control)
  }
  if (control.type === 'columns') {
    const columns = columnsAt(values, path)
    return columns.length === 0 ? undefined : columns.map(columnOf)
  }
  const text = textAt(values, path)
  if (text.trim() === '') return undefined
  if (control.type === 'number' || control.type === 'json') return typedJson(text)
  if (control.type === 'boolean') return text === 'true'
  if (control.type === 'words') return text.split('\n').flatMap((line) => line.trim() || [])
  // A keyboard that completes words leaves a blank behind them.
  return control.type === 'text' && control.long ? text : text.trim()
}

/** The body that a form asks for: only what was given. */
export const bodyOf = (members: readonly Member[], values: Values): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    members.flatMap((member) => {
      const value = valueOf(member, values)
      return value === undefined ? [] : [[member.name, value]]
    }),
  )

const isAt = (path: string, problem: string): boolean => problem === path || problem.startsWith(`${path}/`)

/** The problems of a member and what it holds. */
export const problemsAt = (problems: readonly ProblemDetail[], path: string): readonly ProblemDetail[] =>
  problems.filter((problem) => isAt(path, problem.path))

/** Problems that no control of the form can show. */
export const otherProblems = (problems: readonly ProblemDetail[], members: readonly Member[]) =>
  problems.filter(({ path }) => !members.some((member) => isAt(member.path, path)))
