import type { Context } from '../../commands/caller.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { memberReferences } from '../../commands/lookup.ts'
import { findReferred, mapReferences } from '../../commands/requests/resolveRequest.ts'
import { incarnationKey, type Reference } from '../../events/events.ts'
import type { ReferenceInput } from '../../kinds/defineKind.ts'
import { ruleTest } from '../../kinds/definitions/contracts.ts'
import { contractKind, kindNamed } from '../../kinds/registry/kinds.ts'
import type { Imported } from '../../odcs/importDocument.ts'
import type { ContractMembers } from '../../odcs/model/contract.ts'
import type { Warning } from '../../odcs/model/types.ts'
import { chunksOf, shorten } from '../../shared/bounds.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { inSlices } from '../../shared/yieldToEventLoop.ts'

/** Number of names looked up together: a document may have tens of thousands. */
const namesAtOnce = 500

/** What the names of a document mean in the catalog: references, and those names that were found. */
export interface ResolvedNames {
  readonly members: JsonObject
  readonly names: Readonly<Record<string, string[]>>
}

/** Warns of names of owners and reviewers that mean nobody, or several, as far as the caller may know. */
export const unknownPeople = ({ candidates, stated }: Imported, { names }: ResolvedNames): Warning[] => {
  const unknown = (['owners', 'reviewers'] as const).flatMap((member) => {
    const found = new Set(names[member])
    return stated.includes(member) ? candidates[member].filter((name) => !found.has(name)) : []
  })
  const shown = shorten([...new Set(unknown)].join(', '), 1000)
  return shown === ''
    ? []
    : [{ path: '/team', message: `not in the catalog, or the name of several, kept in the document: ${shown}` }]
}

/** Resolves owners, reviewers and test cases of a document in the catalog. */
export const resolveNames = async (
  context: Context,
  { candidates, quality }: Imported,
  asset: Entity,
  present: Entity | undefined,
): Promise<ResolvedNames> => {
  const ruled = quality.flatMap((rule) => ruleTest(rule, asset.fullyQualifiedName) ?? [])
  const qualityExpectations = [...new Set([...candidates.qualityExpectations, ...ruled])]
  const members: JsonObject = {}
  const names: Record<string, string[]> = {}
  for (const [member, list] of Object.entries({ ...candidates, qualityExpectations })) {
    const kinds = kindNamed(contractKind).fields[member]?.references?.kinds ?? []
    const held = new Set(referencesIn(present?.members ?? {}, member).map(incarnationKey))
    const inputs = list.map((fullyQualifiedName) => ({ fullyQualifiedName }))
    const known = await findKnown(context, inputs, { kinds, held })
    if (known.size > 0) members[member] = [...known.values()].map((id) => ({ id }))
    names[member] = [...known.keys()].map(({ fullyQualifiedName }) => fullyQualifiedName)
  }
  return { members, names }
}

/** Resolves the tags of columns; those that the catalog does not have are left out, with a warning. */
export const resolveColumnTags = async (
  context: Context,
  { schema, ...others }: ContractMembers,
  present: Entity | undefined,
): Promise<{ contract: ContractMembers; warnings: Warning[] }> => {
  if (schema === undefined) return { contract: others, warnings: [] }
  const definition = kindNamed(contractKind)
  const held = new Set(memberReferences(definition, present?.members ?? {}, ['schema']).map(incarnationKey))
  const { kinds = [] } = definition.fields['tags']?.references ?? {}
  const inputs = new Map<string, ReferenceInput>()
  const keyOf = ({ type, fullyQualifiedName }: ReferenceInput): string => `${type} ${fullyQualifiedName}`
  const visit = (idOf: (input: ReferenceInput) => string | undefined) =>
    mapReferences(definition, { schema: schema as Json }, ({ type, fullyQualifiedName = '' }) => {
      const id = idOf({ ...(type !== undefined && { type }), fullyQualifiedName })
      return id === undefined ? undefined : ({ id } as Reference)
    })
  visit((input) => void inputs.set(keyOf(input), input))
  const known = await findKnown(context, [...inputs.values()], { kinds, held })
  const resolved = visit((input) => known.get(inputs.get(keyOf(input)) ?? input))
  const unknown = [...inputs.values()].flatMap((input) => (known.has(input) ? [] : (input.fullyQualifiedName ?? '')))
  const message = `not in the catalog, and left out of the tags of columns: ${shorten(unknown.join(', '), 1000)}`
  return {
    contract: { ...others, ...(resolved as ContractMembers) },
    warnings: unknown.length > 0 ? [{ path: '/schema', message }] : [],
  }
}

/** The ids of those that mean one entity of these kinds, in order. @param held what the contract refers to so far */
const findKnown = async <Input extends ReferenceInput>(
  context: Context,
  inputs: readonly Input[],
  { kinds, held }: { readonly kinds: readonly string[]; readonly held: ReadonlySet<string> },
): Promise<Map<Input, string>> => {
  const known = new Map<Input, string>()
  for await (const some of inSlices(chunksOf(inputs, namesAtOnce))) {
    const found = await findReferred(context, some, kinds, () => held)
    for (const [index, input] of some.entries()) {
      const [one, ...others] = found[index] ?? []
      if (one !== undefined && others.length === 0) known.set(input, one.id)
    }
  }
  return known
}
