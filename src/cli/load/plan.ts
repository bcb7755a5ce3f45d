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

const planEntity = async (
  client: ApiClient,
  path: string,
  entity: SourceEntity,
  overwrite: boolean,
): Promise<EntityPlan> => {
  const standing = await find(client, path, entity.fullyQualifiedName)
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
    changes: left,
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
    const plans = await mapConcurrently(entities, (entity) => planEntity(client, step.path, entity, overwrite))
    planned.push({ ...step, entities: plans })
  }
  return planned
}
