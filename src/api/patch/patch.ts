import { invalid } from '../../commands/errors.ts'
import { isObject, sameJson, type Json, type JsonObject } from '../../shared/json.ts'
import type { KindDefinition, Problem } from '../../kinds/defineKind.ts'
import { applyJsonPatch } from './jsonPatch.ts'

/**
 * Applies a JSON Patch (RFC 6902) or a merge patch (RFC 7396), by media type, with pauses between the operations of a JSON
 * Patch. @throws DomainError as {@link applyJsonPatch}
 */
export function* applyPatch(document: JsonObject, patch: unknown, contentType: string): Generator<void, JsonObject> {
  const patched =
    contentType === 'application/merge-patch+json'
      ? mergePatch(document, patch as Json)
      : yield* applyJsonPatch(document, patch)
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
 * The members that a patch of an answer changed, as a request would have them: `null` for those taken out, under the
 * name that the patch used. What requests do not know is left in when the patch has added it.
 */
export const changedMembers = (definition: KindDefinition, before: JsonObject, after: JsonObject): JsonObject => {
  const aliases = aliasesOf(definition)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => !sameJson(before[name], after[name]))
  const otherwise = new Set(changed.flatMap((name) => aliases.get(name) ?? []))
  const isMeant = (name: string): boolean =>
    aliases.has(name) || (isSettable(definition, name) ? !otherwise.has(name) : !(name in before))
  return Object.fromEntries(changed.filter(isMeant).map((name) => [name, after[name] ?? null]))
}
