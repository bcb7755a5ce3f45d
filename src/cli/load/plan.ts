import { createHash } from 'node:crypto'
import { buildFqn, splitFqn } from '../../kinds/names.ts'
import { isObject, type JsonObject } from '../../shared/json.ts'
import { CallError, type ApiClient } from '../client/apiClient.ts'
import { mapConcurrently } from '../client/mapConcurrently.ts'
import { changesOf } from './compare.ts'
import type { SourceEntity, SourceStep, SourceContent } from './content.ts'

/** `X-Correlation-ID` of what loaders write begins so: everything else was written by people and other programs. */
export const loaderPrefix = 'load:'

/** What a person wrote, and the load leaves as it is. */
export interface KeptValue {
  readonly path: string
  readonly user: string
}

export interface EntityPlan {
  readonly entity: SourceEntity
  readonly outcome: 'created' | 'changed' | 'unchanged'
  /** Members that change, as paths. */
  readonly changes: readonly string[]
  readonly kept: readonly KeptValue[]
}

export interface StepPlan extends Omit<SourceStep, 'entities'> {
  readonly entities: readonly EntityPlan[]
}

const find = async (client: ApiClient, path: string, fqn: string): Promise<JsonObject | undefined> => {
  try {
    return await client.get(`${path}/name/${encodeURIComponent(fqn)}?fields=*`)
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return undefined
    throw error
  }
}

interface Author {
  readonly user: string
  readonly clientCorrelationId?: string
}

/** The author of a value, or of the nearest one around it. */
const authorOf = (authors: Readonly<Record<string, Author>>, path: string): Author | undefined => {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.'))))
    if (authors[at] !== undefined) return authors[at]
  return undefined
}

const isLoaded = (author: Author | undefined): boolean =>
  author === undefined || author.clientCorrelationId?.startsWith(loaderPrefix) === true

/** Kinds of which the service knows the hash of their source, and lists it with all that stands in a service. */
const hashed: ReadonlySet<string> = new Set(['databases', 'databaseSchemas', 'tables'])

const pageSize = 1000

/** Hashes of what stands already, by FQN, `''` where there is none. */
const hashesOf = async (
  client: ApiClient,
  { path, entities }: Pick<SourceStep, 'path' | 'entities'>,
): Promise<ReadonlyMap<string, string>> => {
  const services = new Set(entities.map(({ fullyQualifiedName }) => splitFqn(fullyQualifiedName)?.[0] ?? ''))
  const hashes = new Map<string, string>()
  for (const service of services)
    for (let after: string | undefined; ;) {
      const query = {
        service: buildFqn([service]),
        fields: 'sourceHash',
        limit: String(pageSize),
        ...(after && { after }),
      }
      const { data, paging } = await client.get(`${path}?${new URLSearchParams(query)}`)
      for (const { fullyQualifiedName, sourceHash } of data as JsonObject[])
        hashes.set(String(fullyQualifiedName), String(sourceHash ?? ''))
      after = (paging as { after?: string }).after
      if (after === undefined) break
    }
  return hashes
}

const withHash = (entity: SourceEntity): SourceEntity => {
  const sourceHash = createHash('sha256').update(JSON.stringify(entity.body)).digest('hex')
  return { ...entity, body: { ...entity.body, sourceHash } }
}

interface PlanOptions {
  readonly path: string
  readonly overwrite: boolean
  /** Of what stands already, where the kind has them. */
  readonly hashes: ReadonlyMap<string, string> | undefined
}

const planEntity = async (
  client: ApiClient,
  { path, overwrite, hashes }: PlanOptions,
  given: SourceEntity,
): Promise<EntityPlan> => {
  // What replaces the words of people is not skipped.
  const entity = hashes === undefined || overwrite ? given : withHash(given)
  const hash = hashes?.get(entity.fullyQualifiedName)
  if (hash !== undefined && hash === entity.body['sourceHash'])
    return { entity, outcome: 'unchanged', changes: [], kept: [] }
  const isNew = hashes !== undefined && hash === undefined
  const standing = isNew ? undefined : await find(client, path, entity.fullyQualifiedName)
  if (standing === undefined) return { entity, outcome: 'created', changes: [], kept: [] }
  const body = structuredClone(entity.body)
  const changes = changesOf(body, standing)
  const contested = overwrite ? [] : changes.filter(({ replacesWords }) => replacesWords)
  const asked = contested.length === 0 ? {} : await client.get(`${path}/${String(standing['id'])}/provenance`)
  const authors = (isObject(asked['data']) ? asked['data'] : {}) as unknown as Record<string, Author>
  const kept = contested.flatMap((change) => {
    const author = authorOf(authors, change.path)
    if (author === undefined || isLoaded(author)) return []
    change.leaveOut()
    return [{ path: change.path, user: author.user }]
  })
  const left = changes.map((change) => change.path).filter((changed) => !kept.some((each) => each.path === changed))
  return {
    entity: { ...entity, body },
    outcome: left.length === 0 ? 'unchanged' : 'changed',
    changes: left.filter((changed) => changed !== 'sourceHash'),
    kept,
  }
}

/** What a load would do. @param overwrite does it replace what people wrote? */
export const planLoad = async (
  client: ApiClient,
  { steps }: SourceContent,
  overwrite: boolean,
): Promise<StepPlan[]> => {
  const planned: StepPlan[] = []
  for (const { entities, ...step } of steps) {
    const hashes = hashed.has(step.path) ? await hashesOf(client, { path: step.path, entities }) : undefined
    const planning = { path: step.path, overwrite, hashes }
    const plans = await mapConcurrently(entities, (entity) => planEntity(client, planning, entity))
    planned.push({ ...step, entities: plans })
  }
  return planned
}
