import { z } from 'zod'
import type { JsonObject } from '../../shared/json.ts'
import type { Problem, ReferenceInput } from '../defineKind.ts'
import { nameProblem } from '../../shared/entityName.ts'
import { unknownWord } from '../../shared/nearest.ts'
import { words } from '../../shared/wordLists.ts'
import { isUuid } from '../names.ts'
import { limits } from '../../shared/limits.ts'

export const text = z.string()

/** Milliseconds by which the clock of a reporter may be ahead. */
const maxReporterSkew = 300_000

/** Times in seconds would be earlier. */
const earliestReported = Date.UTC(2000, 0)

const reportedTimeProblem = 'must be in epoch milliseconds, neither before the year 2000 nor in the future'

/** When something that is reported took place; whether it is in the future is for the clock of the log to say. */
export const reportedTime = z
  .int()
  .refine((time) => time >= earliestReported, { error: reportedTimeProblem })
  .meta({ minimum: earliestReported })

/** Whether a reported time is in the future of the log. @param now epoch milliseconds by the clock of the log */
export const isFuture = (time: number, now: number): boolean => time > now + maxReporterSkew

/** The problems of reported times in the future, each with its path. */
export const futureProblems = (
  times: readonly (readonly [path: string, time: number | undefined])[],
  now: number,
): Problem[] =>
  times.flatMap(([path, time = now]) => (isFuture(time, now) ? [{ path, message: reportedTimeProblem }] : []))

/** A name: see {@link nameProblem}. */
export const name = z
  .string()
  .superRefine((value, context) => {
    const problem = nameProblem(value)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({
    minLength: 1,
    maxLength: limits.name.value,
    pattern: String.raw`^(?:[^:\x00-\x1f\x7f-\x9f]|:[^:\x00-\x1f\x7f-\x9f])*:?$`,
  })

/** A label: one line, not empty. */
export const word = z.string().min(1).max(1024)

/** An open vocabulary: known values are documented and accepted in any case, others are accepted too. */
export const openWord = (known: readonly string[]) => {
  const canonical = byFolded(known)
  return word.overwrite((value) => canonical.get(value.toLowerCase()) ?? value).meta({ examples: [...known] })
}

const byFolded = (values: readonly string[]): ReadonlyMap<string, string> =>
  new Map(values.map((value) => [value.toLowerCase(), value]))

/**
 * One of these in any case; the value gets the canonical spelling.
 * @param id name of its schema in the OpenAPI document, where a long list is to stand once
 */
export const oneOf = (values: readonly string[], id?: string) => {
  const canonical = byFolded(values)
  return z
    .string()
    .overwrite((value) => canonical.get(value.toLowerCase()) ?? value)
    .refine((value) => canonical.has(value.toLowerCase()), { error: ({ input }) => unknownWord(input, values) })
    .meta({ ...(id !== undefined && { id }), enum: [...values], description: 'Taken in any case.' })
}

/** Any value, kept as it is sent. */
export const anyValue = z.unknown()

export const openObject = z.looseObject({})

/** An address, not checked for reachability; relative ones and ones with placeholders are accepted. */
export const url = z.string().min(1).max(8192).regex(/^\S*$/, 'must be a URL without white space')

export const entityReference = z
  .object({
    id: z.uuid(),
    type: z.string(),
    name: z.string(),
    fullyQualifiedName: z.string(),
    displayName: z.string().optional(),
    deleted: z.boolean(),
  })
  .meta({ id: 'EntityReference', description: 'Another entity.' })

export const tagLabel = z
  .object({
    tagFQN: z.string(),
    name: z.string(),
    displayName: z.string().optional(),
    description: z.string().optional(),
    style: z.record(z.string(), z.unknown()).optional(),
    source: z.enum(['Classification', 'Glossary']),
    labelType: z.literal('Manual'),
    state: z.literal('Confirmed'),
  })
  .meta({ id: 'TagLabel', description: 'A classification tag or a glossary term on something.' })

type Report = (message: string, path?: string) => void

const fqnText = { type: 'string', minLength: 1, maxLength: limits.fqn.value } as const

const isFqnText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= limits.fqn.value

/** Members of a reference that do not identify the entity. */
const spoken = new Set(['name', 'displayName', 'deleted', 'href', 'description', 'inherited'])

const readReference = (value: unknown, report: Report): ReferenceInput => {
  if (typeof value === 'string') {
    if (!isFqnText(value)) report(`must be a fully qualified name of 1 to ${limits.fqn.value} characters`)
    return { fullyQualifiedName: value }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report('must be a fully qualified name or a reference {"id": …, "type": …}')
    return {}
  }
  return readReferenceObject(value as JsonObject, report)
}

const readReferenceObject = (value: JsonObject, report: Report): ReferenceInput => {
  const { id, type, fullyQualifiedName, ...others } = value
  for (const member of Object.keys(others)) if (!spoken.has(member)) report('unknown member', member)
  if (id !== undefined && !(typeof id === 'string' && isUuid(id))) report('must be a UUID', 'id')
  if (type !== undefined && typeof type !== 'string') report('must be a string', 'type')
  if (fullyQualifiedName !== undefined && !isFqnText(fullyQualifiedName))
    report('must be a fully qualified name', 'fullyQualifiedName')
  if (id === undefined && fullyQualifiedName === undefined) report('must have an id or a fullyQualifiedName')
  return {
    ...(id !== undefined && { id: id as string }),
    ...(type !== undefined && { type: type as string }),
    ...(fullyQualifiedName !== undefined && { fullyQualifiedName: fullyQualifiedName as string }),
  }
}

/** Members of a tag label beyond the name of the tag. */
const labelMembers = new Set(
  words('name displayName description style source labelType state href appliedAt appliedBy reason metadata'),
)

const labelKinds: Readonly<Record<string, string>> = { Classification: 'tag', Glossary: 'glossaryTerm' }

const readTag = (value: unknown, report: Report): ReferenceInput => {
  if (typeof value !== 'object' || value === null || !('tagFQN' in value)) return readReference(value, report)
  const { tagFQN, ...others } = value as JsonObject
  for (const member of Object.keys(others)) if (!labelMembers.has(member)) report('unknown member', member)
  if (!isFqnText(tagFQN)) report('must be the fully qualified name of a tag or a glossary term', 'tagFQN')
  const source = others['source']
  const type = typeof source === 'string' && Object.hasOwn(labelKinds, source) ? labelKinds[source] : undefined
  return { fullyQualifiedName: tagFQN as string, ...(type !== undefined && { type }) }
}

/** A hand-written reader as a zod type. @param schema its schema in the OpenAPI document */
const reader = <T>(read: (value: unknown, report: Report) => T, schema: JsonObject): z.ZodType<T> =>
  z
    .unknown()
    .transform((value, context) =>
      read(value, (message, member) => {
        const path = member === undefined ? [] : [member]
        context.issues.push({ code: 'custom', input: value, message, path, params: { inReference: path.length > 0 } })
      }),
    )
    .meta(schema) as z.ZodType<T>

/** An object that has one of these members, and no others. @param ignored members with any value */
const objectWith = (required: string, properties: JsonObject, ignored: ReadonlySet<string>): JsonObject => ({
  type: 'object',
  required: [required],
  properties: { ...Object.fromEntries([...ignored].map((member) => [member, {}])), ...properties },
  additionalProperties: false,
})

const referenceSchemas = ['id', 'fullyQualifiedName'].map((required) =>
  objectWith(
    required,
    { id: { type: 'string', format: 'uuid' }, type: { type: 'string' }, fullyQualifiedName: fqnText },
    spoken,
  ),
)

/** A reference in a request: an FQN, `{id, type?}`, `{fullyQualifiedName, type?}`, or a reference from an answer. */
export const referenceInput = reader(readReference, {
  id: 'ReferenceInput',
  description:
    'Another entity: its fully qualified name, or an object with its id or fully qualified name. A name that entities ' +
    'of several kinds have needs a `type`, unless the member refers to one of them already.',
  anyOf: [fqnText, ...referenceSchemas],
})

/** A tag in a request: an FQN, `{tagFQN}`, a label from an answer, or a reference. */
export const tagInput = reader(readTag, {
  id: 'TagInput',
  description:
    'A classification tag or glossary term: its fully qualified name, or an object with tagFQN. A name that both have ' +
    'needs a `source`, unless the member has one of them already.',
  anyOf: [
    fqnText,
    objectWith('tagFQN', { tagFQN: fqnText, source: { type: 'string', enum: Object.keys(labelKinds) } }, labelMembers),
    ...referenceSchemas,
  ],
})

/** Facts about the token of a program. The token itself is not stored. */
export const programToken = z.object({
  id: z.uuid(),
  roles: z.array(z.string()),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  expiresAt: z.iso.datetime(),
  restored: z.uuid().optional().describe('The deletion of its user that was undone before'),
})
