import type { Json, JsonObject } from '../../shared/json.ts'
import type { Members, Reference } from '../../events/events.ts'
import type { Fact, KindDefinition, Place, Problem, ReferenceInput } from '../../kinds/defineKind.ts'
import { buildFqn, childFqn, entityId, isUuid, maxFqnLength, splitFqn } from '../../kinds/names.ts'
import type { ParsedRequest } from '../../kinds/request/requestSchema.ts'
import type { Location } from '../decide.ts'
import { nameable, type Context, type Named } from '../caller.ts'
import { referenceTo, type EntityReader, type Head, type Needed } from '../lookup.ts'
import type { Ports } from '../ports.ts'

export interface Unresolved {
  readonly definition: KindDefinition
  readonly name: string
  readonly values: JsonObject
  /** Where it goes, as far as that can be told. */
  readonly place: Place
  readonly problems: readonly Problem[]
}

/** Says where a create request puts its entity. */
export const placeOf = (definition: KindDefinition, { name, values, problems = [] }: ParsedRequest): Unresolved => {
  const place = (definition.behaviour.place ?? placeByParent(definition))(values)
  if (Array.isArray(place)) return { definition, name, values, place: {}, problems: [...problems, ...place] }
  return { definition, name, values, place, problems }
}

/** The first parent member that the request has. */
const placeByParent =
  (definition: KindDefinition) =>
  (values: JsonObject): Place => {
    for (const { field, kinds } of definition.parents) {
      const input = values[field]
      if (input !== undefined) return { parent: { input: input as ReferenceInput, kinds, path: `/${field}` } }
    }
    return {}
  }

/** What names are looked up with. */
type Naming = Pick<Ports, 'kindNamed' | 'sealer'>

/** The ids of which a reference may mean one; of an opaque id the one that it stands for. */
export const candidateIds = (
  input: ReferenceInput,
  kinds: readonly string[],
  { kindNamed, sealer }: Naming,
): string[] => {
  if (input.id !== undefined) return [sealer.revealId(input.id.toLowerCase())]
  const fqn = input.fullyQualifiedName
  if (fqn === undefined) return []
  const parts = splitFqn(fqn)
  const key = parts && buildFqn(parts)
  const types = input.type === undefined ? kinds : kinds.filter((kind) => kind === input.type)
  const whole = key === undefined ? [] : types.map((kind) => entityId(kind, key))
  const roots = types.filter((kind) => kindNamed(kind).parents.length === 0 && parts?.length !== 1)
  const named = [...whole, ...roots.map((kind) => entityId(kind, buildFqn([fqn])))]
  return isUuid(fqn) ? [...named, sealer.revealId(fqn.toLowerCase())] : named
}

/** What names in a body mean, as far as the caller may name it; whatever its status but `gone`. */
export const findNamed = async (
  context: Context,
  names: readonly string[],
  kinds: readonly string[],
): Promise<(Head | undefined)[]> => {
  const inputs = names.map((fullyQualifiedName) => ({ fullyQualifiedName }))
  const candidates = inputs.map((input) => candidateIds(input, kinds, context))
  const found = await context.refer(candidates.flat())
  const reads = { get: (id: string) => found.get(id), kindOf: (id: string) => found.get(id)?.kind }
  const named = await nameable(context, reads, candidates.flat())
  return inputs.map((input, index) =>
    candidates[index]
      ?.map((id) => named(id, input))
      .find((one) => one !== undefined && one.status !== 'gone' && kinds.includes(one.kind)),
  )
}

/** What must be looked up before {@link resolveRequest}. */
export const idsToLookUp = (request: Unresolved, naming: Naming): Needed => {
  const referred: string[] = []
  const note = (input: ReferenceInput, kinds: readonly string[]): undefined => {
    for (const id of candidateIds(input, kinds, naming)) referred.push(id)
  }
  const { parent } = request.place
  mapReferences(request.definition, request.values, note)
  return { whole: parent === undefined ? [] : candidateIds(parent.input, parent.kinds, naming), referred }
}

const fqnBelow = (base: string | undefined, between: readonly string[] | undefined, name: string): string => {
  let fqn = base
  for (const part of between ?? []) fqn = childFqn(fqn, part)
  return childFqn(fqn, name)
}

/** The FQN that an entity will have, as far as that can be told before its parent is looked up. */
export const likelyFqn = ({ name, place: { parent, between } }: Unresolved): string | undefined => {
  const base = parent?.input.fullyQualifiedName
  if (parent !== undefined && base === undefined) return undefined
  return fqnBelow(base, between, name)
}

/** What {@link idsToLookUp} gives, and the entity's own id where it can be told: to look it up at the same time. */
export const idsOf = (request: Unresolved, naming: Naming): Needed => {
  const { definition } = request
  const fqn = definition.behaviour.identity === 'parent' ? undefined : likelyFqn(request)
  const { whole, referred } = idsToLookUp(request, naming)
  return { whole: fqn === undefined ? whole : [...whole, entityId(definition.name, fqn)], referred }
}

type Visit = (input: ReferenceInput, kinds: readonly string[], path: string) => Reference | undefined

/** The values with each reference replaced by what `visit` makes of it. */
const mapReferences = (definition: KindDefinition, values: JsonObject, visit: Visit): Members => {
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

export interface Resolved {
  /** Its id is empty when it cannot be told. */
  readonly location: Location
  /** Without the references that do not exist. */
  readonly members: Members
  /** Those of the request, and every reference that does not exist. With any of them the request must be refused. */
  readonly problems: readonly Problem[]
}

/** Finds the references of a request among what was loaded, and says where its entity stands. */
export const resolveRequest = (request: Unresolved, reads: FindIn, naming: Naming): Resolved => {
  const { definition, name, values, place } = request
  const problems: Problem[] = [...request.problems]
  const search: SearchFor = { reads, naming, problems }
  const visit: Visit = (input, kinds, path) => findReference({ input, kinds, path }, search)
  const parent = place.parent && findParent(place.parent, search, reads.fact)
  const members = mapReferences(definition, values, visit)
  for (const ancestor of definition.ancestors) {
    const value = parent?.members[ancestor]
    if (members[ancestor] === undefined && value !== undefined) members[ancestor] = value
  }
  const base = parent?.reference.fullyQualifiedName
  const fullyQualifiedName = fqnBelow(base, place.between, name)
  if (fullyQualifiedName.length > maxFqnLength) {
    problems.push({ path: '/name', message: `makes a fully qualified name of more than ${maxFqnLength} characters` })
  }
  const lost = place.parent !== undefined && parent === undefined
  const key = lost ? undefined : definition.behaviour.identity === 'parent' ? parent?.reference.id : fullyQualifiedName
  const id = key === undefined ? '' : entityId(definition.name, key)
  return { location: { id, name, fullyQualifiedName, parent }, members, problems }
}

type Wanted = NonNullable<Place['parent']>

/** @see nameable for `named` */
interface FindIn extends Pick<EntityReader, 'fact'> {
  readonly named: Named
}

interface SearchFor {
  readonly reads: Pick<FindIn, 'named'>
  readonly naming: Naming
  readonly problems: Problem[]
}

const findParent = (wanted: Wanted, search: SearchFor, factOf: EntityReader['fact']): Fact | undefined => {
  const reference = findReference(wanted, search)
  const parent = reference && factOf(reference.id)
  if (reference !== undefined && parent?.deleted === true) {
    const { id, fullyQualifiedName = id } = wanted.input
    const message = `${reference.type} ${fullyQualifiedName} is soft-deleted: restore it first`
    search.problems.push({ path: wanted.path, message })
  }
  return parent
}

/** What a reference means among what was loaded; where that is not there, a problem is noted. */
export const findReference = (
  { input, kinds, path }: Wanted,
  { reads, naming, problems }: SearchFor,
): Reference | undefined => {
  if (input.type !== undefined && !kinds.includes(input.type)) {
    problems.push({ path, message: `type ${input.type} cannot stand here; one of: ${kinds.join(', ')}` })
    return undefined
  }
  for (const id of candidateIds(input, kinds, naming)) {
    const entity = reads.named(id, input)
    if (
      entity !== undefined &&
      entity.status !== 'gone' &&
      kinds.includes(entity.kind) &&
      (input.type ?? entity.kind) === entity.kind
    ) {
      return referenceTo(entity)
    }
  }
  const what = input.type ?? (kinds.length > 3 ? 'entity' : kinds.join(' or '))
  problems.push({ path, message: `${what} ${input.fullyQualifiedName ?? input.id ?? ''} does not exist` })
  return undefined
}
