import type { Reference } from '../events/events.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { buildFqn, entityId } from '../kinds/names.ts'
import { firstVersion } from './decide.ts'
import { DomainError } from './errors.ts'
import type { Commands } from './handleCommand.ts'
import type { Cause } from './recording.ts'
import { submit } from './submit.ts'

/** The reference of the caller with this name, whether its entity exists yet or not. */
export const principalReference = (definition: KindDefinition, name: string): Reference => {
  const fullyQualifiedName = buildFqn([name])
  return { id: entityId(definition.name, fullyQualifiedName), type: definition.name, fullyQualifiedName }
}

/**
 * Commands in which the caller can be referred to before its entity exists: it gets one with the same write.
 */
export const withCaller = (commands: Commands, definition: KindDefinition, name: string): Commands => {
  const { id, fullyQualifiedName } = principalReference(definition, name)
  return { ...commands, assumed: [{ ...nobody, kind: definition.name, id, name, fullyQualifiedName }] }
}

const nobody = {
  parent: undefined,
  parentBorn: 0n,
  status: 'live',
  since: 0n,
  born: 0n,
  revision: 0n,
  position: 0n,
  hash: '',
  version: firstVersion,
  updatedAt: 0,
  updatedBy: '',
  deletion: undefined,
  inherited: false,
  restored: undefined,
  members: {},
  change: undefined,
} as const

/** Largest number of names that are remembered; more only means looking again. */
const remembered = 10_000

/**
 * Makes sure that a caller has an entity: it gets one on its first write. With `look`, for writes that refer to it, also
 * when it had one that is gone.
 */
export const makePrincipals = (commands: Commands, definition: KindDefinition) => {
  const seen = new Set<string>()
  return async (cause: Cause, how: 'look' | 'remember' = 'remember'): Promise<Reference> => {
    const name = cause.user
    const reference = principalReference(definition, name)
    if (how === 'remember' && seen.has(name)) return reference
    const entity = (await commands.lookup([reference.id])).get(reference.id)
    if (entity === undefined || entity.status === 'gone') await createPrincipal(commands, definition, cause)
    if (seen.size >= remembered) seen.clear()
    seen.add(name)
    return reference
  }
}

const createPrincipal = async (commands: Commands, definition: KindDefinition, cause: Cause): Promise<void> => {
  const commandId = `${cause.commandId}:principal`
  try {
    await submit(commands, definition, 'Create', { name: cause.user, values: {}, cleared: [] }, { ...cause, commandId })
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'already_exists')) throw error
  }
}
