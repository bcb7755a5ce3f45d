import { LRUCache } from 'lru-cache'
import { limits } from '../../shared/limits.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { incarnationKey, incarnationOf, type Members, type Reference } from '../../events/events.ts'
import type { Fact, Facts, KindDefinition, Place, Problem, ReferenceInput } from '../../kinds/defineKind.ts'
import { buildFqn, childFqn, entityId, isUuid, splitFqn } from '../../kinds/names.ts'
import { kindNamed } from '../../kinds/registry/kinds.ts'
import type { ParsedRequest } from '../../kinds/request/requestSchema.ts'
import type { Location } from '../decide.ts'
import { memoizeByKey } from '../../shared/memoize.ts'
import { mask } from '../../shared/secrets/shownText.ts'
import { makeNameResolver, type Context, type EntityIdentity, type NameResolver } from '../caller.ts'
import { memberReferences, referenceTo, type LookupIds } from '../lookup.ts'

export interface ResolverInput {
  readonly definition: KindDefinition
  readonly name: string
  readonly values: JsonObject
  readonly place: Place
  readonly problems: readonly Problem[]
}

/** Determines the place of a new entity. */
export const locate = (definition: KindDefinition, { name, values, problems }: ParsedRequest): ResolverInput => {
  const place = definition.behaviour.place?.(values) ?? placeByParent(definition, values)
  if (Array.isArray(place)) return { definition, name, values, place: {}, problems: [...problems, ...place] }
  return { definition, name, values, place, problems }
}

/** The place below the first parent member in the request. */
const placeByParent = ({ parents }: KindDefinition, values: JsonObject): Place => {
  for (const { field, kinds } of parents) {
    const input = values[field]
    if (input !== undefined) return { parent: { input: input as ReferenceInput, kinds, path: `/${field}` } }
  }
  return {}
}

/** The ports that resolve names. */
type Naming = Pick<Context, 'secretCodec' | 'caller'>

/** The ids that an FQN may mean: unquoted, it may also be the whole name of a root entity. */
const idsOfFqn = (fqn: string, kinds: readonly string[]): readonly string[] => {
  const parts = splitFqn(fqn)
  const key = parts && buildFqn(parts)
  const whole = key === undefined ? [] : kinds.map((kind) => entityId(kind, key))
  const roots = kinds.filter((kind) => kindNamed(kind).parents.length === 0 && parts?.length !== 1)
  return [...whole, ...roots.map((kind) => entityId(kind, buildFqn([fqn])))]
}

const maxCachedLength = 256

/** By kinds and FQN, at most some 10 MB: the columns of a table have the same few tags. */
const idCache = new LRUCache<string, readonly string[]>({ max: 4_000 })

const cachedIdsOfFqn = (fqn: string, kinds: readonly string[]): readonly string[] => {
  const key = `${kinds.join()} ${fqn}`
  const ids = idCache.get(key) ?? idsOfFqn(fqn, kinds)
  if (fqn.length <= maxCachedLength) idCache.set(key, ids)
  return ids
}

/** The ids that a reference may mean; an opaque id is revealed. */
export const candidateIds = (input: ReferenceInput, kinds: readonly string[], naming: Naming): readonly string[] => {
  if (input.id !== undefined) return [naming.secretCodec.revealId(input.id.toLowerCase())]
  const fqn = input.fullyQualifiedName
  if (fqn === undefined) return []
  const { type } = input
  const candidateKinds = type === undefined ? kinds : kinds.includes(type) ? [type] : []
  const named = cachedIdsOfFqn(fqn, candidateKinds)
  return isUuid(fqn) ? [...named, naming.secretCodec.revealId(fqn.toLowerCase())] : named
}

/** Finds what references in a body mean, see {@link findMeant}. */
export const findReferred = async (
  context: Context,
  inputs: readonly ReferenceInput[],
  kinds: readonly string[],
  current?: Wanted['current'],
): Promise<(readonly EntityIdentity[])[]> => {
  const candidates = inputs.flatMap((input) => candidateIds(input, kinds, context))
  const found = await context.refer(candidates)
  const reads = { get: (id: string) => found.get(id), kindOf: (id: string) => found.get(id)?.kind }
  const resolveName = await makeNameResolver(context, reads, candidates)
  return inputs.map((input) => findMeant({ input, kinds, current }, { resolveName, naming: context }))
}

/**
 * What a reference means of its {@link candidateIds} that may be named, are not `gone` and of these kinds.
 * @returns several if entities share the name and the caller has to say which one
 */
export const findMeant = (
  { input, kinds, current }: Omit<Wanted, 'path'>,
  { resolveName, naming }: Pick<Resolution, 'resolveName' | 'naming'>,
): readonly EntityIdentity[] => {
  const found: EntityIdentity[] = []
  for (const id of candidateIds(input, kinds, naming)) {
    const entity = resolveName(id, input)
    if (entity === undefined || entity.status === 'gone' || !kinds.includes(entity.kind)) continue
    if ((input.type ?? entity.kind) !== entity.kind) continue
    if (isMeant(entity, input, resolveName, naming)) found.push(entity)
  }
  if (found.length < 2) return found
  const meant = bestMatches(found)
  const matching = meant.filter((entity) => current?.().has(incarnationOf(entity)))
  return matching.length === 1 ? matching : meant
}

/** Of what a name may stand for, live entities before soft-deleted ones, and of these all with the FQN of the first. */
export const bestMatches = <T extends Pick<EntityIdentity, 'status' | 'fullyQualifiedName'>>(
  found: readonly T[],
): readonly T[] => {
  const live = found.filter(({ status }) => status === 'live')
  const among = live.length > 0 ? live : found
  return among.filter(({ fullyQualifiedName }) => fullyQualifiedName === among[0]?.fullyQualifiedName)
}

/** The beginning of a problem of a name that means several entities. */
export const nameOfSeveral = (name: string, entities: readonly Pick<EntityIdentity, 'kind'>[]): string =>
  `${name} is the name of several entities (${entities.map(({ kind }) => kind).join(', ')})`

/** Whether the FQN beside an id, if there is one, names the same entity. A masked one says nothing. */
const isMeant = (
  { id, kind }: EntityIdentity,
  { id: given, fullyQualifiedName }: ReferenceInput,
  named: NameResolver,
  naming: Naming,
): boolean => {
  if (given === undefined || fullyQualifiedName === undefined || fullyQualifiedName === mask) return true
  const byName = { fullyQualifiedName }
  return candidateIds(byName, [kind], naming).includes(id) && named(id, byName) !== undefined
}

/** A reference as a message names it: a stored one may come from others, and tells a caller only what he may view. */
export const describeReference = ({ id, type, fullyQualifiedName }: ReferenceInput, { caller }: Naming): string =>
  caller !== undefined && id !== undefined && type !== undefined && caller.visibilityOf(type) !== 'yes'
    ? mask
    : [fullyQualifiedName, id].filter((text) => text !== undefined).join(' with the id ')

/** The ids to load before {@link resolveRequest}. @param own id of the entity itself, if it is to be loaded with them */
export const idsToLookUp = (request: ResolverInput, naming: Naming, own?: string): LookupIds => {
  const referred: string[] = []
  const collect = (input: ReferenceInput, kinds: readonly string[]): undefined => {
    for (const id of candidateIds(input, kinds, naming)) referred.push(id)
  }
  const { parent } = request.place
  mapReferences(request.definition, request.values, collect)
  const above = parent === undefined ? [] : candidateIds(parent.input, parent.kinds, naming)
  return { whole: own === undefined ? above : [...above, own], referred }
}

const fqnBelow = (base: string | undefined, between: readonly string[] | undefined, name: string): string => {
  let fqn = base
  for (const part of between ?? []) fqn = childFqn(fqn, part)
  return childFqn(fqn, name)
}

/** The FQN of the new entity, if it is known before its parent is loaded. */
export const expectedFqn = ({ name, place: { parent, between } }: ResolverInput): string | undefined => {
  const base = parent?.input.fullyQualifiedName
  if (parent !== undefined && base === undefined) return undefined
  return fqnBelow(base, between, name)
}

/** The id of the new entity, if it is known before its parent is loaded. */
export const expectedId = (request: ResolverInput): string | undefined => {
  const { name, behaviour } = request.definition
  const fqn = behaviour.identity === 'parent' ? undefined : expectedFqn(request)
  return fqn === undefined ? undefined : entityId(name, fqn)
}

type Visit = (input: ReferenceInput, kinds: readonly string[], path: string) => Reference | undefined

/** The values with each reference replaced by the result of `visit`. */
export const mapReferences = (definition: KindDefinition, values: JsonObject, visit: Visit): Members => {
  const members: Members = {}
  const nestedKinds = definition.fields['tags']?.references?.kinds ?? []
  for (const [name, value] of Object.entries(values) as [string, Json][]) {
    const field = definition.fields[name]
    let mapped: Json | undefined = value
    if (field?.references) mapped = mapValue(value, field.references.kinds, `/${name}`, visit)
    else if (field?.nested) {
      mapped = field.nested(value, (input, path) => visit(input, nestedKinds, `/${name}${path}`) as Json | undefined)
    }
    if (mapped !== undefined) members[name] = mapped
  }
  return members
}

const mapValue = (value: Json, kinds: readonly string[], path: string, visit: Visit): Json | undefined => {
  if (!Array.isArray(value)) return visit(value as ReferenceInput, kinds, path) as Json | undefined
  const found = value.map((item, index) =>
    item === null ? undefined : visit(item as ReferenceInput, kinds, `${path}/${index}`),
  )
  const distinct = new Map(found.filter((item) => item !== undefined).map((item) => [item.id, item]))
  return [...distinct.values()] as Json
}

/** Determines the place of a new entity, with an empty id if it is unknown, from loaded entities. */
export const resolveLocation = (
  { definition, name, place }: ResolverInput,
  search: Resolution,
  facts: Facts,
): Location => {
  const parent = place.parent && findParent(place.parent, search, facts)
  const fullyQualifiedName = fqnBelow(parent?.reference.fullyQualifiedName, place.between, name)
  if (fullyQualifiedName.length > limits.fqn.value) {
    const message = `makes a fully qualified name of more than ${limits.fqn.value} characters`
    search.problems.push({ path: '/name', message })
  }
  const lost = place.parent !== undefined && parent === undefined
  const key = lost ? undefined : definition.behaviour.identity === 'parent' ? parent?.reference.id : fullyQualifiedName
  const id = key === undefined ? '' : entityId(definition.name, key)
  return { id, name, fullyQualifiedName, parent }
}

/**
 * Resolves the references of a request against loaded entities, without those that have problems.
 * @param before the members so far: where entities share a name, a member goes on to mean the one that it refers to
 */
export const resolveMembers = (
  { definition, values }: ResolverInput,
  search: Resolution,
  before: Members = {},
  parent?: Fact,
): Members => {
  const currentIn = memoizeByKey(
    (name: string) => new Set(memberReferences(definition, before, [name]).map(incarnationKey)),
  )
  const members = mapReferences(definition, values, (input, kinds, path) =>
    findReference({ input, kinds, path, current: () => currentIn(path.split('/')[1] as string) }, search),
  )
  for (const ancestor of definition.ancestors) {
    const value = parent?.members[ancestor]
    if (members[ancestor] === undefined && value !== undefined) members[ancestor] = value
  }
  return members
}

type Wanted = NonNullable<Place['parent']> & {
  /** What the same member refers to so far, as `incarnationKey`s. */
  readonly current?: (() => ReadonlySet<string>) | undefined
}

/** @see makeNameResolver for `named` */
interface Resolution {
  readonly resolveName: NameResolver
  readonly naming: Naming
  /** Where problems are added. If there are any, the request must be refused. */
  readonly problems: Problem[]
}

const findParent = (wanted: Wanted, search: Resolution, facts: Facts): Fact | undefined => {
  const reference = findReference(wanted, search)
  const parent = reference && facts.get(reference.id)
  if (reference !== undefined && parent?.deleted === true) {
    const { id, fullyQualifiedName = id } = wanted.input
    const message = `${reference.type} ${fullyQualifiedName} is soft-deleted: restore it first`
    search.problems.push({ path: wanted.path, message })
  }
  return parent
}

/** Resolves a reference against loaded entities; adds a problem if it does not mean exactly one. */
export const findReference = (wanted: Wanted, search: Resolution): Reference | undefined => {
  const { input, kinds, path } = wanted
  const { naming, problems } = search
  if (input.type !== undefined && !kinds.includes(input.type)) {
    problems.push({ path, message: `type ${input.type} is not allowed here; must be one of: ${kinds.join(', ')}` })
    return undefined
  }
  const [entity, ...others] = findMeant(wanted, search)
  if (entity !== undefined && others.length === 0) return referenceTo(entity)
  if (entity !== undefined) {
    const source = kindNamed(entity.kind).traits.labels ? ', by `source` beside `tagFQN`,' : ''
    const several = nameOfSeveral(describeReference(input, naming), [entity, ...others])
    problems.push({ path, message: `${several}: say which one by \`type\`${source} or by \`id\`` })
    return undefined
  }
  const what = input.type ?? (kinds.length > 3 ? 'entity' : kinds.join(' or '))
  const hasBoth = input.id !== undefined && input.fullyQualifiedName !== undefined
  const why = hasBoth ? ': nothing has both this name and this id' : ''
  problems.push({ path, message: `${what} ${describeReference(input, naming)} does not exist${why}` })
  return undefined
}
