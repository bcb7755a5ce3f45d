import { z } from 'zod'
import type { Computed, Field, KindDefinition } from '../defineKind.ts'
import { perKind } from '../perKind.ts'
import { entityReference, name } from '../members/shapes.ts'
import type { JsonObject } from '../../shared/json.ts'
import { memoize } from '../../shared/memoize.ts'
import { buildFqn } from '../names.ts'
import { kindNamed } from '../registry/kinds.ts'

/** `table` → `Table`: name of a kind's schemas in the OpenAPI document. */
const titled = (kind: string): string => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`

const described = (field: Field, schema: z.ZodType): z.ZodType => {
  const words = {
    ...(field.description !== undefined && { description: field.description }),
    ...(field.default !== undefined && { default: field.default }),
    // Kinds that a reference may have, for forms.
    ...(field.references !== undefined && { 'x-kinds': field.references.kinds }),
  }
  return z.lazy(() => schema).meta(words)
}

/** A schema whose objects may have `null` for what they may leave out, as `readRequest` reads them. */
const withNulls: (schema: z.ZodType) => z.ZodType = memoize((schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodObject) return withNulls(schema.in)
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodObject) return z.array(withNulls(schema.element))
  if (!(schema instanceof z.ZodObject)) return schema
  const optional = Object.entries<z.ZodType>(schema.shape).flatMap(([member, inner]) =>
    inner instanceof z.ZodOptional ? [[member, z.lazy(() => withNulls(inner.unwrap() as z.ZodType)).nullish()]] : [],
  )
  return schema.extend(Object.fromEntries(optional)).meta({ ...schema.meta() })
})

/** Schemas of a field where it is given, may be given, and is shown. */
const inputSchema = memoize((field: Field) => described(field, withNulls(field.schema)))
const nullableInputSchema = memoize((field: Field) => inputSchema(field).nullish())
const answerSchema = memoize((field: Field) => described(field, field.answer ?? field.schema).optional())

const settable = ({ fields }: KindDefinition): [string, Field][] =>
  Object.entries(fields).filter(([, field]) => !field.readOnly)

export const createSchema = perKind((definition): z.ZodObject => {
  const shape: Record<string, z.ZodType> = { name }
  for (const [member, field] of settable(definition)) {
    shape[member] = field.required ? inputSchema(field) : nullableInputSchema(field)
    for (const alias of field.aliases ?? []) {
      shape[alias] = z
        .lazy(() => itemOf(field.schema))
        .meta({ description: `One of ${member}.` })
        .nullish()
    }
  }
  return z.strictObject(shape).meta({ id: `Create${titled(definition.name)}` })
})

const etag = /^(\*|(W\/)?"[\x21\x23-\x7e]*")$/

/** The condition of an item of a bulk request; `null` is none. */
export const itemCondition = z.object({
  ifMatch: z.string().regex(etag, 'must be an ETag such as "3", or *').nullish(),
  ifNoneMatch: z.string().regex(/^\*$/, 'must be *').nullish(),
})

const conditionNote =
  'A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. ' +
  '`ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412.'

export const bulkItemSchema = perKind((definition): z.ZodObject =>
  createSchema(definition)
    .extend(itemCondition.shape)
    .meta({ id: `Bulk${titled(definition.name)}`, description: conditionNote }),
)

const itemOf = (schema: z.ZodType): z.ZodType => (schema instanceof z.ZodArray ? (schema.element as z.ZodType) : schema)

const change = z.array(
  z.object({ name: z.string(), oldValue: z.unknown().optional(), newValue: z.unknown().optional() }),
)

const changeDescription = z
  .object({ fieldsAdded: change, fieldsUpdated: change, fieldsDeleted: change, previousVersion: z.number() })
  .meta({ id: 'ChangeDescription', description: 'What the newest version changed.' })

const votes = z
  .object({
    upVotes: z.int(),
    downVotes: z.int(),
    upVoters: z.array(entityReference),
    downVoters: z.array(entityReference),
  })
  .meta({ id: 'Votes' })

const author = z
  .object({
    user: z.string(),
    time: z.iso.datetime(),
    position: z.string(),
    correlationId: z.string().describe('The request that wrote it: see `GET /v1/requests/{correlationId}`'),
    clientCorrelationId: z.string().optional(),
    proposer: z.string().optional().describe('Who proposed it, if it came from a proposal'),
    cleared: z.literal(true).optional().describe('There is no value any more: this is who cleared it'),
  })
  .meta({ id: 'Author', description: 'Who wrote a value, when, and with which request.' })

const provenance = z.record(z.string(), author).meta({
  id: 'Provenance',
  description:
    'With `?provenance=true`: the author of each value, or who cleared it, by member or by path into it (columns.id.description).',
})

const systemShape = {
  id: z.uuid(),
  name: z.string(),
  fullyQualifiedName: z.string(),
  version: z.number().meta({ description: 'Starts at 0.1; a change adds 0.1, one that breaks readers 1.0.' }),
  updatedAt: z.int().meta({ description: 'Epoch milliseconds.' }),
  updatedBy: z.string(),
  href: z.string(),
  deleted: z.boolean(),
  changeDescription: changeDescription.optional(),
  provenance: provenance.optional(),
}

const computedSchema = (computed: Computed): z.ZodType => {
  if (computed.from === 'nothing' || computed.from === 'versions')
    return z.boolean().meta({ description: computed.description })
  return computed.from === 'count' ? z.int() : z.array(entityReference)
}

export const entitySchema = perKind((definition): z.ZodType => {
  const shape: Record<string, z.ZodType> = { ...systemShape }
  for (const [member, field] of Object.entries(definition.fields)) {
    if (definition.traits.votes && (member === 'upVoters' || member === 'downVoters')) continue
    shape[member] = answerSchema(field)
    if (field.first !== undefined) shape[field.first] = entityReference.optional()
  }
  for (const ancestor of definition.ancestors) shape[ancestor] ??= entityReference.optional()
  for (const [member, computed] of Object.entries(definition.computed))
    shape[member] = computedSchema(computed).optional()
  if (definition.traits.votes) shape['votes'] = votes.optional()
  if ('service' in shape) shape['serviceType'] ??= z.string().optional()
  return z.looseObject(shape).meta({ id: titled(definition.name), description: definition.description })
})

export const pagingShape = z
  .object({
    total: z.int(),
    relation: z.literal('gte').optional().describe('Of a list with q or sort: there are more than total'),
    before: z.string().optional(),
    after: z.string().optional(),
    asOf: z.string().optional().describe('Log position of the moment that a list shows, e.g. @1200'),
  })
  .meta({ id: 'Paging', description: 'How many there are, and the cursors of the pages before and after.' })

export const listSchema = perKind((definition): z.ZodType =>
  z
    .object({ data: z.array(entitySchema(definition)), paging: pagingShape })
    .meta({ id: `${titled(definition.name)}List`, description: `One page of the list of ${definition.path}.` }),
)

export const versionsSchema = perKind((definition): z.ZodType =>
  z
    .object({ entityType: z.string(), versions: z.array(entitySchema(definition)), paging: pagingShape })
    .meta({ id: `${titled(definition.name)}Versions`, description: 'Versions of one entity, newest first.' }),
)

export const mergePatchSchema = perKind((definition): z.ZodType => {
  const shape = Object.fromEntries(
    settable(definition)
      .filter(([, field]) => !field.fixed)
      .map(([member, field]) => [member, nullableInputSchema(field)]),
  )
  return z.looseObject(shape).meta({
    id: `${titled(definition.name)}Patch`,
    description: 'JSON Merge Patch (RFC 7396): what is named is replaced, null clears.',
  })
})

export const jsonPatchSchema = z
  .array(
    z
      .looseObject({
        op: z.enum(['add', 'remove', 'replace', 'move', 'copy', 'test']),
        path: z.string().describe('JSON Pointer (RFC 6901)'),
        from: z.string().optional().describe('JSON Pointer, for move and copy'),
        value: z.unknown().optional().describe('For add, replace and test'),
      })
      .meta({ id: 'JsonPatchOperation', description: 'One step of a JSON Patch.' }),
  )
  .meta({
    id: 'JsonPatch',
    description:
      'JSON Patch (RFC 6902): done in order, all or nothing. It applies to what a read shows whose `fields` name its ' +
      'members: lists are there, empty or not.',
  })

const exampleName = ({ name }: KindDefinition): string => `example${titled(name)}`

/** Names from the outermost ancestor down to the example of this kind. */
const exampleNames = (definition: KindDefinition): string[] => {
  const parent = definition.parents.find(({ optional }) => !optional)?.kinds[0]
  return [...(parent === undefined ? [] : exampleNames(kindNamed(parent))), exampleName(definition)]
}

const exampleValue = ({ references, schema }: Field): string | undefined => {
  const kind = references?.kinds[0]
  if (kind !== undefined) return buildFqn(exampleNames(kindNamed(kind)))
  const examples = schema.meta()?.['examples']
  return Array.isArray(examples) && typeof examples[0] === 'string' ? examples[0] : undefined
}

/** An example create request; it needs the examples of the parent kinds. */
export const createExample = (definition: KindDefinition): JsonObject => {
  const required = Object.entries(definition.fields).flatMap(([member, field]) => {
    const value = field.required ? exampleValue(field) : undefined
    return value === undefined ? [] : [[member, value] as const]
  })
  return {
    name: exampleName(definition),
    description: definition.description,
    ...Object.fromEntries(required),
    ...definition.example,
  }
}
