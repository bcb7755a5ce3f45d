import { replacedAuthors } from '../../commands/provenance.ts'
import { mapInChunks } from '../../shared/bounds.ts'
import { isObject, objectsOf, type JsonObject } from '../../shared/json.ts'
import { CallError, callsAtOnce, type ApiClient } from '../client/apiClient.ts'
import { changesOf, type MemberChange } from './compare.ts'
import type { SourceEntity, SourceStep, SourceContent } from './content.ts'
import { hasUnknownType } from './tables.ts'

/** Prefix of the `X-Correlation-ID` of loaders, which distinguishes their writes from those of people. */
const loaderPrefix = 'load:'

/** The `X-Correlation-ID` of a load, which the service accepts: `load:dbt/shop`. */
export const correlationOf = ({ source, project }: SourceContent): string =>
  `${loaderPrefix}${source}${project === undefined ? '' : `/${project.replaceAll(/\W/g, '_').slice(0, 100)}`}`

/** Whether this load wrote a value, or one of its source that named no project. */
const isWrittenBy = (load: string, { clientCorrelationId = '' }: Partial<Author> = {}): boolean =>
  `${load}/`.startsWith(`${clientCorrelationId}/`)

/** A value that a person wrote or cleared, and that the load keeps so. */
interface UserValue {
  readonly path: string
  readonly user: string
  readonly cleared: boolean
}

export interface EntityPlan {
  readonly entity: SourceEntity
  /** `restored` if it is deleted: writing it restores it. */
  readonly outcome: 'created' | 'restored' | 'changed' | 'unchanged'
  /** Epoch milliseconds; only if it is `restored`. */
  readonly deletedAt?: number | undefined
  /** Paths of changed members, and what becomes of items of lists. */
  readonly changes: readonly string[]
  readonly kept: readonly UserValue[]
  /** Of the entity as it was read; absent if there was none, or nothing is to be written. */
  readonly etag?: string | undefined
  /** Reads the entity, and plans it, again. */
  readonly again: () => Promise<EntityPlan>
}

export interface StepPlan extends Omit<SourceStep, 'entities'> {
  readonly entities: readonly EntityPlan[]
  /** Names of what stands and is gone from the source. */
  readonly gone?: readonly string[]
  /** Names of what the source does not have and comes back with what is restored. */
  readonly returning?: readonly string[]
}

/** The answer of a call; `undefined` if it is 404. */
export const ifFound = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof CallError && error.status === 404) return undefined
    throw error
  })

interface Author {
  readonly user: string
  readonly clientCorrelationId?: string
  readonly cleared?: true
}

type Authors = Readonly<Record<string, Author>>

/** The author of a value, or of the innermost value that contains it. */
const authorOf = (authors: Authors, path: string): Author | undefined => {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.'))))
    if (authors[at] !== undefined) return authors[at]
  return undefined
}

const isLoader = ({ clientCorrelationId = '' }: Author): boolean => clientCorrelationId.startsWith(loaderPrefix)

/** The source of a load, without its project. */
const sourceIn = (correlation = ''): string => correlation.split('/', 1)[0] ?? ''

/** Whether a load may replace a value: its source wrote it, or a database, whose comments give way to all others. */
const isReplaceable = (load: string, author: Author): boolean =>
  [sourceIn(load), `${loaderPrefix}postgres`].includes(sourceIn(author.clientCorrelationId))

/** The values that people wrote, however deep, and that a change would replace or clear. */
export const replacedUserValues = (authors: Authors, before: JsonObject, after: JsonObject): UserValue[] => {
  const people = new Map(Object.entries(authors).filter(([, author]) => !isLoader(author)))
  return [...replacedAuthors(people, before, after)].map(([path, user]) => {
    return { path, user, cleared: people.get(path)?.cleared === true }
  })
}

/** The authors of an entity's values, by path. */
export const authorsOf = async (client: ApiClient, path: string, { id }: JsonObject): Promise<Authors> => {
  const { provenance } = await client.get(`${path}/${String(id)}?provenance=true&include=all`)
  return (isObject(provenance) ? provenance : {}) as unknown as Authors
}

const pageSize = 1000

/** All pages of a list. */
export const listAll = async (
  client: ApiClient,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<JsonObject[]> => {
  const found: JsonObject[] = []
  for (let after: string | undefined; ;) {
    const all = new URLSearchParams({ ...query, limit: String(pageSize), ...(after && { after }) })
    const { data, paging } = await client.get(`${path}?${all}`)
    found.push(...(data as JsonObject[]))
    after = (paging as { after?: string }).after
    if (after === undefined) return found
  }
}

type Standing = ReadonlyMap<string, JsonObject>

export const byFqn = (entities: readonly JsonObject[]): Standing =>
  new Map(entities.map((each) => [String(each['fullyQualifiedName']), each]))

/** Existing entities by FQN; `undefined` if they cannot be listed. */
const readExisting = async (client: ApiClient, { path, scope, standing }: SourceStep): Promise<Standing | undefined> =>
  standing ?? (scope && byFqn(await listAll(client, path, { ...scope, fields: '*', include: 'all' })))

interface PlanOptions {
  readonly path: string
  readonly overwrite: boolean
  /** Correlation of the load. */
  readonly load: string
  /** Existing entities; `undefined`: they are read one by one. */
  readonly known: Standing | undefined
}

/** Columns of a table or fields of a column, by name. */
const namedColumns = ({ columns, children = columns }: JsonObject): [name: string, JsonObject][] =>
  objectsOf(children).map((column) => [column['name'] as string, column])

const typeMembers = ['dataType', 'arrayDataType', 'dataLength', 'precision', 'scale']

/** A type of which the source knows only the name stays as it is, where it has that name. @param hasMore whether columns stay, too */
const columnsFor = (wanted: JsonObject, standing: JsonObject, hasMore: boolean): JsonObject[] => {
  const present = new Map(namedColumns(standing))
  const others = hasMore ? [...present.keys()].map((name): [string, JsonObject] => [name, { name }]) : []
  return [...new Map([...others, ...namedColumns(wanted)])].map(([name, column]) => {
    const isStructure = column['children'] !== undefined
    const there = present.get(name) ?? {}
    const { dataType = isStructure ? 'STRUCT' : 'UNKNOWN' } = there
    if (hasUnknownType(column) && !hasUnknownType(there) && column['dataTypeDisplay'] === there['dataTypeDisplay'])
      for (const member of typeMembers) delete column[member]
    return { dataType, ...column, ...(isStructure && { children: columnsFor(column, there, hasMore) }) }
  })
}

/**
 * The create request with what the source does not tell of columns, since a list that is sent replaces the present one.
 * @param standing the entity as it is; default: there is none
 */
const bodyFor = ({ body, hasMoreColumns = false }: SourceEntity, standing: JsonObject = {}): JsonObject => {
  const wanted = structuredClone(body)
  if (wanted['columns'] === undefined) return wanted
  return { ...wanted, columns: columnsFor(wanted, standing, hasMoreColumns) }
}

/** Whether a change is only made if nobody else wrote or cleared the present value; columns and keys follow the source. */
const isContested = ({ path, describes }: MemberChange, { yields = false }: SourceEntity): boolean =>
  describes || (yields && ['schemaDefinition', 'serviceType', 'tableType'].includes(path))

const planEntity = async (client: ApiClient, options: PlanOptions, entity: SourceEntity): Promise<EntityPlan> => {
  const { path, overwrite, load, known } = options
  const again = () => planEntity(client, { ...options, known: undefined }, entity)
  const name = encodeURIComponent(entity.fullyQualifiedName)
  const [standing, etag] = known
    ? [known.get(entity.fullyQualifiedName)]
    : ((await ifFound(client.getStanding(`${path}/name/${name}`))) ?? [])
  const body = bodyFor(entity, standing)
  if (standing === undefined) return { entity: { ...entity, body }, outcome: 'created', changes: [], kept: [], again }
  const changes = changesOf(body, standing)
  const contested = changes.filter((change) => isContested(change, entity) && (change.clears || !overwrite))
  const authors = contested.length === 0 ? {} : await authorsOf(client, path, standing)
  // What another load cleared is only missing.
  const isOwn = ({ fills }: MemberChange, author: Author): boolean =>
    fills ? isLoader(author) : entity.yields === true ? isWrittenBy(load, author) : isReplaceable(load, author)
  const kept = contested.flatMap((change): UserValue[] => {
    const author = authorOf(authors, change.path)
    if (author === undefined || isOwn(change, author)) return []
    return [{ path: change.path, user: author.user, cleared: author.cleared === true }]
  })
  const isKept = (path: string): boolean => kept.some((each) => each.path === path)
  for (const change of contested) if (isKept(change.path)) change.exclude()
  const left = changes.filter(({ path: changed }) => !isKept(changed))
  const outcome = standing['deleted'] === true ? 'restored' : left.length === 0 ? 'unchanged' : 'changed'
  // What was read from a list has no ETag.
  if (etag === undefined && outcome !== 'unchanged') return again()
  return {
    entity: { ...entity, body },
    outcome,
    ...(outcome === 'restored' && { deletedAt: Number(standing['updatedAt']) }),
    changes: left.map(({ path: changed, effect }) => (effect === undefined ? changed : `${changed} ${effect}`)),
    kept: kept.filter(({ path }) => !contested.some((change) => change.clears && change.path === path)),
    etag,
    again,
  }
}

const goneFrom = ({ completeBelow, entities }: SourceStep, known: Standing = new Map()): string[] => {
  if (completeBelow === undefined) return []
  const names = new Set(entities.map(({ fullyQualifiedName }) => fullyQualifiedName))
  return [...known].flatMap(([name, { deleted }]) =>
    name.startsWith(`${completeBelow}.`) && deleted !== true && !names.has(name) ? [name] : [],
  )
}

/** What was deleted with an entity that is restored comes back with it, unlike what had been deleted before. */
const returningWith = (
  restored: readonly EntityPlan[],
  { entities }: SourceStep,
  known: Standing = new Map(),
): string[] => {
  const names = new Set(entities.map(({ fullyQualifiedName }) => fullyQualifiedName))
  return [...known].flatMap(([name, { deleted, updatedAt }]) => {
    const isWithin = ({ entity, deletedAt = 0 }: EntityPlan): boolean =>
      name.startsWith(`${entity.fullyQualifiedName}.`) && Number(updatedAt) >= deletedAt
    return deleted === true && !names.has(name) && restored.some(isWithin) ? [name] : []
  })
}

/** Plans a load. @param overwrite whether it replaces what people wrote */
export const planLoad = async (client: ApiClient, content: SourceContent, overwrite: boolean): Promise<StepPlan[]> => {
  const planned: StepPlan[] = []
  const load = correlationOf(content)
  for (const step of content.steps) {
    const known = await readExisting(client, step)
    const planning = { path: step.path, overwrite, load, known }
    const plans = await mapInChunks(step.entities, callsAtOnce, (entity) => planEntity(client, planning, entity))
    const restored = planned.flatMap(({ entities }) => entities.filter(({ outcome }) => outcome === 'restored'))
    const returning = returningWith(restored, step, known)
    planned.push({ ...step, entities: plans, gone: goneFrom(step, known), returning })
  }
  return planned
}
