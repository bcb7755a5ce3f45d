import { z } from 'zod'
import type { Computed, KindDefinition } from '../../../kinds/defineKind.ts'
import { perKind } from '../../../kinds/perKind.ts'
import { onRequest } from '../../../projections/entities/entityRow.ts'

/** Which optional members an answer has: `list`: none, `get`: those of a single get, else those that `fields` named. */
export type Shown = 'list' | 'get' | ReadonlySet<string>

/** What answers of one kind have. */
export interface Shape {
  readonly definition: KindDefinition
  /** Members, stored or referred to, that they do not have. */
  readonly hidden: ReadonlySet<string>
  readonly computed: readonly (readonly [name: string, computed: Computed])[]
  /** Anything of a row's `shownOnRequest`: all of it, or some. */
  readonly onRequest: 'all' | 'some' | 'nothing'
  readonly votes: boolean
  /** Members that name what stands above. */
  readonly ancestors: readonly string[]
  /** Lists that they have also when nothing is in them. */
  readonly demanded: ReadonlySet<string>
}

/** Voters are shown as one member, `votes`. */
export const shownName = (name: string): string => (name === 'upVoters' || name === 'downVoters' ? 'votes' : name)

const isShown = (name: string, shown: 'always' | 'request' | 'only-request' | undefined, wanted: Shown): boolean => {
  if (shown === undefined || shown === 'always') return true
  if (wanted === 'list') return false
  if (wanted === 'get') return shown === 'request'
  return wanted.has(name) || wanted.has('*')
}

/** Members whose value is a list. */
const listMembers = perKind((definition) => [
  ...Object.entries(definition.fields)
    .filter(
      ([name, { references, schema }]) =>
        shownName(name) === name && (references?.many ?? schema instanceof z.ZodArray),
    )
    .map(([name]) => name),
  ...Object.entries(definition.computed)
    .filter(([, { from }]) => from === 'children' || from === 'related')
    .map(([name]) => name),
])

const makeShape = (definition: KindDefinition, shown: Shown, lists: readonly string[]): Shape => {
  const fields = Object.entries(definition.fields)
  const hidden = new Set(
    fields.filter(([name, field]) => !isShown(shownName(name), field.shown, shown)).map(([name]) => name),
  )
  const plain = fields.filter(([, field]) => onRequest(field) && field.references === undefined)
  const open = plain.filter(([name]) => !hidden.has(name))
  const named = (name: string): boolean => typeof shown !== 'string' && (shown.has(name) || shown.has('*'))
  return {
    definition,
    hidden,
    computed: Object.entries(definition.computed).filter(([name, computed]) => isShown(name, computed.shown, shown)),
    onRequest: open.length === 0 ? 'nothing' : open.length === plain.length ? 'all' : 'some',
    votes: definition.traits.votes === true && isShown('votes', 'request', shown),
    ancestors: [...new Set([...definition.parents.map((parent) => parent.field), ...definition.ancestors])],
    demanded: new Set(listMembers(definition).filter((name) => lists.includes(name) || named(name))),
  }
}

const usual = {
  list: perKind((definition) => makeShape(definition, 'list', [])),
  get: perKind((definition) => makeShape(definition, 'get', [])),
}

/** @param lists that are answered also when they are empty, beside those that `fields` named */
export const shapeOf = (definition: KindDefinition, shown: Shown, lists: readonly string[] = []): Shape =>
  typeof shown === 'string' && lists.length === 0 ? usual[shown](definition) : makeShape(definition, shown, lists)
