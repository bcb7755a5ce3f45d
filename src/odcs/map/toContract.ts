import { quotedName } from '../../shared/entityName.ts'
import { words } from '../../shared/wordLists.ts'
import { setText, toColumns } from './columnMapping.ts'
import { CUSTOM_MEMBERS, type ContractMembers, type QualityRule } from '../model/contract.ts'
import type { chooseObject } from '../model/objects.ts'
import { readCustom } from '../model/customProperties.ts'
import { toSecurity } from './team.ts'
import { mappedSla, toSla } from './sla.ts'
import {
  isObject,
  itemsIn,
  objectsIn,
  toPlainJson,
  textOf,
  withoutUndefined,
  type JsonObject,
  type Warning,
} from '../model/types.ts'

export interface Mapped {
  /** Name of a new contract: the document's name, else its data product or id. */
  name: string
  contract: ContractMembers
  /** Rules of the chosen object and its properties, to be shown and matched with test cases. */
  quality: QualityRule[]
  /** Name of the chosen object, if the document has any. */
  objectName?: string
  warnings: Warning[]
}

/**
 * Maps a v3.1.0 document to the members of a contract; `warnings` names values without a member.
 * @param object the one of the document that the contract is about, if any, at this index of `schema`
 */
export const toContract = (document: JsonObject, { index, object }: ReturnType<typeof chooseObject>): Mapped => {
  const schema = toColumns(object?.['properties'])
  const objectName = textOf(object?.['name'])
  const displayName = textOf(document['name'])
  return {
    name: displayName ?? textOf(document['dataProduct']) ?? String(document['id']),
    contract: withoutUndefined<ContractMembers>({
      displayName,
      description: toDescription(document),
      entityStatus: entityStatusOf(document['status']),
      schema: schema.length === 0 ? undefined : schema,
      sla: toSla(document, objectName),
      security: toSecurity(document),
      ...customMembers(document),
    }),
    quality: object === undefined ? [] : placedRules(object, `/schema/${index}`),
    ...(objectName === undefined ? {} : { objectName }),
    warnings: unmapped(document, index, objectName),
  }
}

const customMembers = (document: JsonObject): ContractMembers => {
  const members = CUSTOM_MEMBERS.flatMap((member) => {
    const value = readCustom(document, member)
    return value === undefined ? [] : [[member, toPlainJson(value)] as const]
  })
  return Object.fromEntries(members)
}

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

const KEPT = words(
  'servers support price tenant domain dataProduct tags authoritativeDefinitions contractCreatedTs slaDefaultElement',
)

const kept = 'has no member in the contract; it is kept in the document'

/** Warnings of values that the contract does not show; all of them return on export. */
const unmapped = (document: JsonObject, chosen: number | undefined, objectName: string | undefined): Warning[] => {
  const shown = mappedSla(document, objectName)
  const [level, ...levels] = [...itemsIn(document['slaProperties']).keys()].filter((index) => !shown.has(index))
  const further = levels.length === 0 ? '' : `, as are ${levels.length} more`
  const others = objectsIn(document['schema']).flatMap((object, index) =>
    index === chosen ? [] : [{ index, name: String(object['name']) }],
  )
  const [first] = others
  const names = others.slice(0, 10).map(({ name }) => name)
  const more = others.length > names.length ? ` and ${others.length - names.length} more` : ''
  const message = `not the chosen object, kept in the document: ${names.join(', ')}${more}`
  return [
    ...KEPT.flatMap((member) => (document[member] === undefined ? [] : { path: `/${member}`, message: kept })),
    ...(level === undefined ? [] : [{ path: `/slaProperties/${level}`, message: `${kept}${further}` }]),
    ...(first === undefined ? [] : [{ path: `/schema/${first.index}`, message }]),
  ]
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
  for (const member of ['purpose', 'limitations', 'usage']) setText(description, member, parts[member])
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
