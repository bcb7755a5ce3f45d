import { invalid } from '../../commands/errors.ts'
import { isObject, sameJson, type Json, type JsonObject } from '../../shared/json.ts'
import type { KindDefinition, Problem } from '../../kinds/defineKind.ts'
import { applyJsonPatch } from './jsonPatch.ts'

/**
 * Applies a JSON Patch (RFC 6902) or a merge patch (RFC 7396), told apart by the media type.
 * @throws DomainError `invalid` when the patch is malformed or does not fit; `conflict` when a `test` fails; `too_large`
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
