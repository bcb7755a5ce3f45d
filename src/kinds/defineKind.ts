import type { z } from 'zod'
import type { Json, JsonObject } from '../shared/json.ts'
import type { Members, Reference } from '../events/events.ts'
import type { SchemaReading, SchemaText } from './schemaText/readSchemaText.ts'

/** A reference as a request names it, already parsed into plain scalars. */
export interface ReferenceInput {
  readonly id?: string
  readonly type?: string
  readonly fullyQualifiedName?: string
}

/** Looks a reference of a request up. Records a problem and returns `undefined` when it does not exist. */
export type Resolve = (input: ReferenceInput, kinds: readonly string[], path: string) => Reference | undefined

export interface References {
  /** Kinds that may stand here; `'*'` for every data asset. */
  readonly kinds: readonly string[]
  readonly many: boolean
  /** Answers show the tag label instead of the reference object. */
  readonly as?: 'label'
}

export interface Field {
  /**
   * Shape of the value in a request. Strict; gives plain scalars; a reference member gives {@link ReferenceInput}s.
   * Never optional, nullable or defaulted in itself: the engine does that.
   */
  readonly schema: z.ZodType
  /** Shape of the value in answers, for the OpenAPI document, where it is not that of requests. */
  readonly answer?: z.ZodType
  readonly required?: boolean
  /** Value on create when the request has none. */
  readonly default?: Json
  /** Set: the value is stored as {@link Reference} (or a list of them) and resolved when it is read. */
  readonly references?: References
  /**
   * References within the value (tags of columns): gives it with each replaced by what `visit` returns, or left out.
   */
  readonly nested?: (value: Json, visit: (reference: JsonObject, path: string) => Json | undefined) => Json
  /**
   * Where in the value a list stands whose elements are told apart by name (`[]`: it is the value): PUT merges by name.
   * Columns and fields have further ones as `children`.
   */
  readonly elements?: readonly string[]
  /** Items of the list are right or wrong each for itself: very many are checked some at a time. */
  readonly itemwise?: boolean
  /**
   * `always`: every answer has it. `request`: a list has it only when `fields` names it (default for optional members
   * that `kinds.md` lists). `only-request`: not even a single get has it without `fields`.
   */
  readonly shown?: 'always' | 'request' | 'only-request'
  /** Names the same member under another word on requests: `owner` for `owners`; a single value becomes a list. */
  readonly aliases?: readonly string[]
  /** Query parameter that narrows lists by it; default: the alias of a list, else the name. */
  readonly filter?: string
  /** Sorts values into few groups, by which lists and search are narrowed under the name of {@link filter}. */
  readonly category?: {
    readonly groups: readonly string[]
    /** The group of a value; of none, too. */
    readonly of: (value: Json | undefined) => string
    /** What the query parameter asks for, for the OpenAPI document. */
    readonly description: string
  }
  /** Never changes after creation (parents, names). */
  readonly fixed?: boolean
  /** The first of many references is answered alone, too, under this name. */
  readonly first?: string
  /** Not accepted in requests: set by a verb of its own, or derived. */
  readonly readOnly?: boolean
  /** Says who somebody is, or how to reach them: sealed in events with a key of the entity, which can be destroyed. */
  readonly personal?: true
  /** What it means, for the OpenAPI document. */
  readonly description?: string
}

/** A member that holds the parent. */
export interface Parent {
  /** Name of the member, e.g. `databaseSchema`. */
  readonly field: string
  readonly kinds: readonly string[]
  /** May be left out: then the next of the list is the parent. */
  readonly optional?: boolean
}

/** Where a new entity stands: made from its parsed create request. */
export interface Place {
  /** The parent: a member of the request, or named by other means. */
  readonly parent?: { readonly input: ReferenceInput; readonly kinds: readonly string[]; readonly path: string }
  /** Names between the parent and this one in the FQN (a test case's column). */
  readonly between?: readonly string[]
}

/** An entity that the request refers to, as far as rules need to know it. */
export interface Fact {
  readonly reference: Reference
  readonly deleted: boolean
  readonly members: Members
}

/** What a rule may ask; everything was looked up before. */
export interface Facts {
  get(id: string): Fact | undefined
}

/** What keeps secrets. */
export interface Sealer {
  seal(plain: string): JsonObject
  open(sealed: JsonObject): string
}

/** Effects that behaviours need, as arguments. */
export interface Effects extends Sealer {
  /** Gives what was read of one of the {@link Behaviour.schemas}. */
  schema(text: SchemaText): SchemaReading
}

/** One thing wrong with a request: JSON Pointer into the body and what to do about it. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** The members of an entity about to be created or changed. */
export interface Draft {
  readonly name: string
  readonly fullyQualifiedName: string
  /** All members as they will be, references resolved, defaults filled in. */
  readonly members: Members
  /** All members as they are; `undefined` on create. */
  readonly before: Members | undefined
  readonly parent: Fact | undefined
  /** Members that the request has, but in a shape that cannot be read: nothing can be said about what needs them. */
  readonly unreadable?: ReadonlySet<string>
}

/** What a part of an entity is called, such as a column, for the search index. */
export interface SearchField {
  /** `columns.address.city`, with quotes as in an FQN. */
  readonly path: string
  readonly names: readonly string[]
}

/** The slots that a behaviour may fill. All are pure. */
export interface Behaviour {
  /** Replaces the rule "parent member, then name". Returns problems when the request does not say where. */
  readonly place?: (request: JsonObject) => Place | Problem[]
  /** `parent`: one entity of this kind for each parent, whatever its name. Default `fqn`. */
  readonly identity?: 'fqn' | 'parent'
  /**
   * Completes the members, before {@link check}; an equal input must give an equal result, which is what is compared.
   */
  readonly derive?: (draft: Draft, effects: Effects) => { members: Members; problems?: Problem[] }
  /** The schema texts that {@link derive} wants to have been read: that may take long. */
  readonly schemas?: (draft: Pick<Draft, 'members' | 'before'>) => readonly SchemaText[]
  /** Ids of further entities that {@link check} needs, found in the ones already looked up. */
  readonly needs?: (draft: Draft, facts: Facts) => string[]
  /** Rules that need facts about others. */
  readonly check?: (draft: Draft, facts: Facts) => Problem[]
  /** True when the change breaks readers of the entity: the version goes up by 1.0. */
  readonly breaking?: (before: Members, after: Members) => boolean
  /** Words for the search index beside name, display name, description, tags and owners. */
  readonly searchFields?: {
    /** The field of the query language that looks for them. */
    readonly part: 'columns' | 'fields' | 'synonyms'
    readonly of: (members: Members) => readonly SearchField[]
  }
}

/** A member that no event sets: it is looked up when the entity is read. */
export type Computed =
  /** Direct children of a kind, as references. */
  | { readonly from: 'children'; readonly kind: string; readonly shown: 'request' | 'only-request' }
  /** Entities that have this one in their member `rel`, as references. */
  | { readonly from: 'related'; readonly rel: string; readonly shown: 'request' | 'only-request' }
  /** Always `false` on the entity itself; an answer that puts several entities together says otherwise. */
  | { readonly from: 'nothing'; readonly description: string; readonly shown: 'always' }
  /** Did the entity, or its parent, get another version than the two that its member `in` names? Absent without those. */
  | {
      readonly from: 'versions'
      readonly in: string
      readonly own: string
      readonly above: string
      readonly description: string
      readonly shown: 'request'
    }
  /** Number of live entities of a kind below this one. */
  | { readonly from: 'count'; readonly kind: string; readonly shown: 'always' }

/** Verbs beyond create, read, change and delete that a kind takes part in. */
export interface Traits {
  /** `PUT path/bulk` */
  readonly bulk?: boolean
  readonly followers?: boolean
  readonly votes?: boolean
  /** Members `results`, `latestResult` and `incident`, and `PUT …/results`. */
  readonly results?: boolean
  /** Members `assets`, `inputPorts`, `outputPorts` and their verbs. */
  readonly assets?: boolean
  /** May be an asset of a data product. */
  readonly asset?: boolean
  /** Data itself: may carry a contract, stands in the `dataAsset` search index. */
  readonly dataAsset?: boolean
  /** Others show it as a tag label from this source. */
  readonly labels?: 'Classification' | 'Glossary'
  /** Somebody who can act or own: the shipped roles leave changing these to administrators. */
  readonly principal?: boolean
  /** Holds, serves, changes or tests what others are about: of equal hits of a search the others come first. */
  readonly serving?: boolean
}

/** One kind of entity. Data: the engine never asks which kind it holds. */
export interface KindDefinition {
  /** `type` in references, e.g. `databaseSchema`. Letters only; part of the storage format. */
  readonly name: string
  /** Path below `/v1/`, e.g. `services/databaseServices`. */
  readonly path: string
  /** One sentence for the OpenAPI document. */
  readonly description: string
  /** Nearest first. Empty: the name alone is the FQN. */
  readonly parents: readonly Parent[]
  /** Members taken over from the parent at creation: further ancestors, e.g. `database` and `service` of a table. */
  readonly ancestors: readonly string[]
  /** Goes and comes with its parent without counting as a child of it. */
  readonly dependent: boolean
  /** Members that everything below shows as its own, e.g. `serviceType`. */
  readonly shownBelow: readonly string[]
  /** Members that rules of others ask for when they refer to an entity of this kind: nothing else is looked up. */
  readonly facts: readonly string[]
  readonly fields: Readonly<Record<string, Field>>
  readonly computed: Readonly<Record<string, Computed>>
  readonly traits: Traits
  readonly behaviour: Behaviour
  /** Largest `limit` of a list (default 1,000). */
  readonly maxLimit: number
  /** Members of the example request, beside those that follow from the definition. */
  readonly example?: JsonObject
  /** Entities that exist on first start: create requests. */
  readonly starters: readonly JsonObject[]
}
