import type { Reference } from '../../events/events.ts'
import { lifeOf } from '../../events/lives.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { sameJson } from '../../shared/json.ts'
import type { Context } from '../caller.ts'
import type { Command } from '../decide.ts'
import { DomainError } from '../errors.ts'
import { referencesIn, type Entity } from '../evolve.ts'
import type { Cause } from '../recording.ts'
import type { Request } from '../taking/take.ts'
import { change, changesBackTo } from './change.ts'
import { verb } from './verbRequest.ts'

export interface Deed {
  readonly definition: KindDefinition
  readonly id: string
  /** Just before the request's first event; `undefined`: it was not there. */
  readonly before: Entity | undefined
  /** Just after its last one; `undefined`: it was deleted for good. */
  readonly after: Entity | undefined
  readonly present: Entity | undefined
  readonly changed: ReadonlySet<string>
}

export type Undoing = 'change' | 'delete' | 'restore'

/** What takes a deed back, or why nothing has to: it is so already, or is not taken back at all. */
export type Verdict = { readonly undo: Undoing } | { readonly nothing: string }

const conflict = (message: string): DomainError => new DomainError('conflict', message)

/** Members that requests can set, of those that the deed changed. */
const settable = ({ definition, changed }: Deed): string[] =>
  [...changed].filter((name) => {
    const field = definition.fields[name]
    return field !== undefined && field.readOnly !== true && field.fixed !== true
  })

const lists = ['assets', 'inputPorts', 'outputPorts'] as const

/** What takes a deed back. @throws DomainError `conflict` when somebody has changed what it did, or nothing can */
export const verdictOn = (deed: Deed): Verdict => {
  const { before, after, present } = deed
  if (before === undefined && after === undefined) return { nothing: 'It came and went.' }
  if (after === undefined) throw conflict('It was deleted for good, which nothing takes back.')
  if (present === undefined || present.status === 'gone') {
    if (before === undefined) return { nothing: 'It is gone already.' }
    throw conflict(`It has been deleted for good since, by ${present?.updatedBy ?? 'somebody'}.`)
  }
  if (present.born !== after.born) throw conflict('It was deleted for good since, and another one has its name.')
  const [was, is] = [before?.status === 'live', after.status === 'live']
  if (is && !was) return ofAppearance(deed, after, present)
  if (was && !is) return ofDeletion(after, present)
  const names = [...settable(deed), ...lists.filter((name) => deed.changed.has(name))]
  if (names.length === 0) return { nothing: 'Votes, follows and results of checks are not taken back.' }
  if (present.status !== 'live') throw conflict(`It has been deleted since, by ${present.updatedBy}.`)
  return { undo: 'change' }
}

const ofAppearance = ({ before }: Deed, after: Entity, present: Entity): Verdict => {
  if (present.status !== 'live') return { nothing: 'It is deleted already.' }
  if (present.version !== after.version)
    throw conflict(
      `It has been changed since it was ${before === undefined ? 'created' : 'restored'}, by ${present.updatedBy}.`,
    )
  return { undo: 'delete' }
}

const ofDeletion = (after: Entity, present: Entity): Verdict => {
  if (present.status === 'live') return { nothing: 'It is back already.' }
  if (present.deletion !== after.deletion) throw conflict(`It has been deleted again since, by ${present.updatedBy}.`)
  return { undo: 'restore' }
}

/** Makes of the members that a deed changed what they were. Refused as `conflict` when one has been changed again. */
export const undoChange = (context: Context, deed: Deed, causeOf: (part: string) => Cause): Request[] => {
  const { definition, id, before, after } = deed
  const names = settable(deed)
  const read = (entity: Entity) => {
    const moved = names.filter(
      (name) =>
        !sameJson(entity.members[name], after?.members[name]) && !sameJson(entity.members[name], before?.members[name]),
    )
    if (moved.length > 0)
      throw conflict(`Changed again since: ${moved.join(', ')}. The last change is by ${entity.updatedBy}.`)
    const members = { ...entity.members }
    for (const name of names) {
      const value = before?.members[name]
      if (value === undefined) delete members[name]
      else members[name] = value
    }
    return changesBackTo(context, definition, { ...entity, members }, entity)
  }
  const changes = names.length === 0 ? [] : [change(context, definition, { id, read }, causeOf('members'))]
  const commands = lists.flatMap((name) => (deed.changed.has(name) ? undoList(deed, name) : []))
  return [
    ...changes,
    ...commands.map((command, at) => verb({ definition, id, command: () => command }, causeOf(`list${at}`))),
  ]
}

/** Takes out what a deed added to a list, and adds what it took out. */
const undoList = ({ before, after }: Deed, name: (typeof lists)[number]): Command[] => {
  const [old, made] = [before, after].map((entity) => referencesIn(entity?.members ?? {}, name)) as [
    Reference[],
    Reference[],
  ]
  const without = (some: readonly Reference[], others: readonly Reference[]): Reference[] => {
    const known = new Set(others.map(lifeOf))
    return some.filter((reference) => !known.has(lifeOf(reference)))
  }
  const [added, removed] = [without(made, old), without(old, made)]
  if (name === 'assets')
    return [
      ...(added.length > 0 ? [{ type: 'RemoveAssets', assets: added } as const] : []),
      ...(removed.length > 0 ? [{ type: 'AddAssets', assets: removed } as const] : []),
    ]
  const direction = name === 'inputPorts' ? 'input' : 'output'
  return [
    ...(added.length > 0 ? [{ type: 'RemovePorts', direction, ports: added } as const] : []),
    ...(removed.length > 0 ? [{ type: 'AddPorts', direction, ports: removed } as const] : []),
  ]
}
