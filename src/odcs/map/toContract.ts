import { quotedName } from '../../shared/entityName.ts'
import { toColumns } from './columnMapping.ts'
import { CUSTOM_MEMBERS, type ContractMembers, type QualityRule } from '../model/contract.ts'
import { chooseObject, type ObjectSelection } from '../model/objects.ts'
import { readCustom } from '../model/customProperties.ts'
import { peopleIn, toSecurity } from './team.ts'
import { mappedSla, toSla } from './sla.ts'
import {
  isObject,
  itemsIn,
  objectsIn,
  toPlainJson,
  textOf,
  type JsonObject,
  type Problem,
  type Warning,
} from '../model/types.ts'

export interface Mapped {
  ok: true
  /** Name of a new contract: the document's name, else its data product or id. */
  name: string
  contract: ContractMembers
  /** Rules of the chosen object and its properties, to be shown and matched with test cases. */
  quality: QualityRule[]
  /** Names for the caller to resolve in the catalog. */
  candidates: { owners: string[]; reviewers: string[]; qualityExpectations: string[] }
  /** Name of the chosen object, if the document has any. */
  objectName?: string
  warnings: Warning[]
}

/** Maps a v3.1.0 document to the members of a contract; `warnings` names values without a member. */
export const toContract = (
  document: JsonObject,
  choice: ObjectSelection = {},
): Mapped | { ok: false; problem: Problem } => {
  const chosen = chooseObject(document, choice)
  if (!chosen.ok) return chosen
  const warnings: Warning[] = []
  const object = chosen.object
  const schema = toColumns(object?.['properties'])
  const objectName = textOf(object?.['name'])
  const sla = toSla(document, objectName)
  const security = toSecurity(document)
  const description = toDescription(document)
  const displayName = textOf(document['name'])
  const contract: ContractMembers = {
    ...(displayName === undefined ? {} : { displayName }),
    ...(description === undefined ? {} : { description }),
    entityStatus: entityStatusOf(document['status']),
    ...(schema.length === 0 ? {} : { schema }),
    ...(sla === undefined ? {} : { sla }),
    ...(security === undefined ? {} : { security }),
    ...customMembers(document),
  }
  warnUnmapped(document, chosen, warnings)
  return {
    ok: true,
    name: displayName ?? textOf(document['dataProduct']) ?? String(document['id']),
    contract,
    quality: object && chosen.index !== undefined ? placedRules(object, `/schema/${chosen.index}`) : [],
    candidates: {
      owners: peopleIn(document, 'owner'),
      reviewers: peopleIn(document, 'reviewer'),
      qualityExpectations: customNames(document),
    },
    ...(objectName === undefined ? {} : { objectName }),
    warnings,
  }
}

const customMembers = (document: JsonObject): ContractMembers => {
  const members = CUSTOM_MEMBERS.flatMap((member) => {
    const value = readCustom(document, member)
    return value === undefined ? [] : [[member, toPlainJson(value)] as const]
  })
  return Object.fromEntries(members)
}

const customNames = (document: JsonObject): string[] =>
  itemsIn(readCustom(document, 'qualityExpectations')).filter((name) => typeof name === 'string')

const placedRules = (element: JsonObject, path: string, column?: string): QualityRule[] => [
  ...objectsIn(element['quality']).map((rule, index) => ({
    path: `${path}/quality/${index}`,
    ...(column === undefined ? {} : { column }),
    rule: toPlainJson(rule) as JsonObject,
  })),
  ...objectsIn(element['properties']).flatMap((property, index) => {
    const name = quotedName(textOf(property['name']) ?? '')
    return placedRules(property, `${path}/properties/${index}`, column === undefined ? name : `${column}.${name}`)
  }),
  ...(isObject(element['items']) ? placedRules(element['items'], `${path}/items`, column) : []),
]

const KEPT = [
  'servers',
  'support',
  'price',
  'tenant',
  'domain',
  'dataProduct',
  'tags',
  'authoritativeDefinitions',
  'contractCreatedTs',
  'slaDefaultElement',
]

// Warns about values that the contract does not show; all of them return on export.
const warnUnmapped = (
  document: JsonObject,
  { index: chosen, object }: { index?: number; object?: JsonObject },
  warnings: Warning[],
): void => {
  const message = 'has no member in the contract; it is kept in the document'
  for (const member of KEPT) if (document[member] !== undefined) warnings.push({ path: `/${member}`, message })
  const shown = mappedSla(document, textOf(object?.['name']))
  for (const index of itemsIn(document['slaProperties']).keys())
    if (!shown.has(index)) warnings.push({ path: `/slaProperties/${index}`, message })
  const others = objectsIn(document['schema']).flatMap((object, index) =>
    index === chosen ? [] : [{ index, name: String(object['name']) }],
  )
  const [first] = others
  if (!first) return
  const names = others.slice(0, 10).map(({ name }) => name)
  const more = others.length > names.length ? ` and ${others.length - names.length} more` : ''
  warnings.push({
    path: `/schema/${first.index}`,
    message: `not the chosen object, kept in the document: ${names.join(', ')}${more}`,
  })
}

/** The entityStatus for the free status text of a document. */
export const entityStatusOf = (status: unknown): 'Draft' | 'Active' | 'Deprecated' => {
  const word = typeof status === 'string' ? status.trim().toLowerCase() : ''
  if (['active', 'production', 'current'].includes(word)) return 'Active'
  return ['deprecated', 'retired'].includes(word) ? 'Deprecated' : 'Draft'
}

const BLOCKS = [
  ['limitations', '**Limitations:**'],
  ['usage', '**Usage:**'],
] as const

/** The description of a contract as Markdown: purpose, then limitations and usage with headings. */
const toDescription = (document: JsonObject): string | undefined => {
  const { description } = document
  if (!isObject(description)) return textOf(description)
  const parts = [textOf(description['purpose']) ?? '']
  for (const [member, heading] of BLOCKS) {
    const text = textOf(description[member])
    if (text !== undefined) parts.push(`${heading}\n${text}`)
  }
  return parts.length === 1 && description['purpose'] === undefined
    ? undefined
    : parts.join('\n\n').replace(/^\n\n/, '')
}

/** Applies a changed description to a document: block by block as far as the headings still exist, the rest as the purpose. */
export const applyDescription = (document: JsonObject, now: string | undefined): void => {
  if (toDescription(document) === now) return
  const description: JsonObject = isObject(document['description']) ? { ...document['description'] } : {}
  const parts = now === undefined ? {} : splitDescription(description, now)
  for (const member of ['purpose', 'limitations', 'usage']) {
    if (parts[member] === undefined) delete description[member]
    else description[member] = parts[member]
  }
  if (Object.keys(description).length > 0) document['description'] = description
  else delete document['description']
}

const splitDescription = (description: JsonObject, text: string): JsonObject => {
  const parts: JsonObject = {}
  let rest = text
  for (const [member, heading] of BLOCKS.toReversed()) {
    if (textOf(description[member]) === undefined) continue
    const at = rest.startsWith(`${heading}\n`) ? 0 : rest.lastIndexOf(`\n\n${heading}\n`)
    if (at === -1) continue
    parts[member] = rest.slice(rest.indexOf('\n', at + 2) + 1)
    rest = rest.slice(0, at)
  }
  if (rest !== '' || description['purpose'] !== undefined) parts['purpose'] = rest
  return toDescription({ description: parts }) === text ? parts : { purpose: text }
}
