import jsonPatch from 'fast-json-patch'
import { DomainError, invalid } from '../../commands/errors.ts'
import { isObject, sameJson, type Json, type JsonObject } from '../../shared/json.ts'
import type { KindDefinition, Problem } from '../../kinds/defineKind.ts'

/**
 * Applies a JSON Patch (RFC 6902) or a merge patch (RFC 7396), told apart by the media type.
 * @throws DomainError `invalid` when the patch is malformed or does not fit; `conflict` when a `test` fails
 */
export const applyPatch = (document: JsonObject, patch: unknown, contentType: string): JsonObject => {
  const patched =
    contentType === 'application/merge-patch+json'
      ? mergePatch(document, patch as Json)
      : applyJsonPatch(document, patch)
  if (!isObject(patched)) throw invalid([{ path: '', message: 'the patch must leave an object' }])
  return patched
}

/** RFC 7396, section 2. */
const mergePatch = (target: Json | undefined, patch: Json): Json => {
  if (!isObject(patch)) return patch
  const result: JsonObject = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = mergePatch(result[name], value)
  }
  return result
}

const applyJsonPatch = (document: JsonObject, patch: unknown): Json => {
  if (!Array.isArray(patch)) throw invalid([{ path: '', message: 'must be an array of JSON Patch operations' }])
  const malformed = patch.flatMap((operation: unknown, index) => operationProblems(operation, index))
  if (malformed.length > 0) throw invalid(malformed)
  let patched: Json = structuredClone(document)
  let copied = 0
  for (const [index, operation] of (patch as jsonPatch.Operation[]).entries()) {
    try {
      if (operation.op === 'copy') copied += lengthAt(patched, operation.from)
      if (copied > mostCopied)
        throw new DomainError('too_large', `The copies of the patch make more than ${mostCopied} characters.`)
      patched = jsonPatch.applyOperation(patched, operation, true, true, true, index).newDocument as Json
    } catch (error) {
      throw operationError(error, operation, index)
    }
  }
  return patched
}

const known = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test'])

const operationProblems = (operation: unknown, index: number): Problem[] => {
  if (!isObject(operation)) return [{ path: `/${index}`, message: 'must be an operation {"op": …, "path": …}' }]
  const problems: Problem[] = []
  const { op, path, from } = operation
  if (typeof op !== 'string' || !known.has(op))
    problems.push({ path: `/${index}/op`, message: `must be one of ${[...known].join(', ')}` })
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/')))
    problems.push({ path: `/${index}/path`, message: 'must be a JSON Pointer' })
  if ((op === 'move' || op === 'copy') && typeof from !== 'string')
    problems.push({ path: `/${index}/from`, message: 'must be a JSON Pointer' })
  if ((op === 'add' || op === 'replace' || op === 'test') && !('value' in operation))
    problems.push({ path: `/${index}/value`, message: 'is required' })
  return problems
}

/** Characters that the copies of one patch may make: each could double what is there. */
const mostCopied = 4 * 1024 * 1024

const lengthAt = (document: Json, pointer: string): number =>
  JSON.stringify(jsonPatch.getValueByPointer(document, pointer) ?? null).length

const operationError = (error: unknown, operation: jsonPatch.Operation, index: number): DomainError => {
  if (error instanceof DomainError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'TEST_OPERATION_FAILED') {
    return new DomainError('conflict', `The test of operation ${index} failed: ${operation.path} has another value.`)
  }
  const why =
    name === 'OPERATION_PATH_UNRESOLVABLE' || name === 'OPERATION_FROM_UNRESOLVABLE'
      ? 'there is nothing at this path'
      : 'cannot be applied'
  return invalid([{ path: `/${index}`, message: `${operation.op} ${operation.path}: ${why}` }])
}

const isSettable = (definition: KindDefinition, name: string): boolean => {
  const field = definition.fields[name]
  return field !== undefined && !field.readOnly && !field.fixed
}

const aliasesOf = (definition: KindDefinition): Map<string, string> =>
  new Map(
    Object.entries(definition.fields).flatMap(([name, field]) => (field.aliases ?? []).map((alias) => [alias, name])),
  )

/** The members that a patch changed although requests cannot set them. */
export const readOnlyProblems = (definition: KindDefinition, before: JsonObject, after: JsonObject): Problem[] => {
  const aliases = aliasesOf(definition)
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter(
      (name) =>
        !isSettable(definition, name) && !aliases.has(name) && name in before && !sameJson(before[name], after[name]),
    )
    .map((name) => ({ path: `/${name}`, message: 'is read-only' }))
}

/**
 * What a request can set, out of a patched answer: members that the patch left alone and that requests do not know are
 * taken out, a member that was set under its other name wins over the old value.
 */
export const settableMembers = (definition: KindDefinition, before: JsonObject, after: JsonObject): JsonObject => {
  const aliases = aliasesOf(definition)
  const members: JsonObject = {}
  for (const [name, value] of Object.entries(after)) {
    if (isSettable(definition, name)) members[name] = value
  }
  for (const [alias, target] of aliases) {
    if (alias in before && !(alias in after) && sameJson(before[target], after[target])) delete members[target]
  }
  for (const [name, value] of Object.entries(after)) {
    const target = aliases.get(name)
    if (target !== undefined && !sameJson(before[name], value)) {
      delete members[target]
      members[name] = value
    } else if (target === undefined && !isSettable(definition, name) && !(name in before)) members[name] = value
  }
  return members
}
