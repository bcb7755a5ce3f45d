import type { Reference } from '../events/events.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { buildFqn, entityId } from '../kinds/names.ts'
import { referenceTo, type EntityReader, type Head } from './lookup.ts'
import type { Ports } from './ports.ts'

export interface Caller {
  readonly definition: KindDefinition
  readonly name: string
  readonly seen: Set<string>
}

export interface Context extends Ports {
  /** Whoever asks gets an entity with his first write, and may be referred to in it already. */
  readonly caller?: Caller
  /** Is told whenever long work has come on. */
  readonly progress?: () => void
}

/** The id of the caller's entity, whether that exists yet or not. */
export const callerId = ({ definition, name }: Caller): string => entityId(definition.name, buildFqn([name]))

/** The caller's entity; where there is none, the one that he will get. */
export const callerEntity = (caller: Caller, known: Pick<EntityReader, 'get'>): Head => {
  const { definition, name } = caller
  const id = callerId(caller)
  const found = known.get(id)
  if (found !== undefined && found.status !== 'gone') return found
  const born = found === undefined ? 0n : found.revision + 1n
  return { ...nobody, kind: definition.name, id, name, fullyQualifiedName: buildFqn([name]), born }
}

export const callerReference = (caller: Caller, known: Pick<EntityReader, 'get'>): Reference =>
  referenceTo(callerEntity(caller, known))

/** What a request of the caller may refer to. */
export const referable = ({ caller }: Context, reads: EntityReader): EntityReader => {
  if (caller === undefined) return reads
  const own = callerId(caller)
  return { fact: reads.fact, get: (id) => (id === own ? callerEntity(caller, reads) : reads.get(id)) }
}

const nobody = {
  parent: undefined,
  parentBorn: 0n,
  status: 'live',
  since: 0n,
  revision: 0n,
  position: 0n,
  hash: '',
  updatedAt: 0,
  deletion: undefined,
  inherited: false,
  restored: undefined,
} as const
