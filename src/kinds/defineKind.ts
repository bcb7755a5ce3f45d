import type { z } from 'zod'
import type { Json, JsonObject } from '../shared/json.ts'
import type { Members, Reference } from '../events/events.ts'
import type { ParsedSchema, SchemaText } from './schemaText/readSchemaText.ts'

/** A reference in a request, parsed into plain scalars. */
export interface ReferenceInput {
  readonly id?: string
  readonly type?: string
  readonly fullyQualifiedName?: string
}

interface References {
  /** Allowed kinds; `'*'` for every data asset. */
  readonly kinds: readonly string[]
  readonly many: boolean
  /** Answers show the tag label instead of the reference object. */
  readonly as?: 'label'
}

export interface Field {
  /**
   * Shape of the value in a request. Strict, with plain scalars; references are {@link ReferenceInput}s. Never
   * optional, nullable or with a default: the engine adds those.
   */
  readonly schema: z.ZodType
  /** Shape of the value in answers, for the OpenAPI document, if it differs from that of requests. */
  readonly answer?: z.ZodType
  readonly required?: boolean
  /** Default value on create. */
  readonly default?: Json
  /** If set, the value is stored as {@link Reference} (or a list of them) and resolved when it is read. */
  readonly references?: References
  /** Maps references within the value (tags of columns): each is replaced by the result of `visit`, or dropped. */
  readonly nested?: (value: Json, visit: (reference: JsonObject, path: string) => Json | undefined) => Json
  /**
   * Path of a list in the value whose elements have unique names (`[]`: the value itself): PUT merges them by name.
   * Columns and fields have further ones as `children`.
   */
  readonly elements?: readonly string[]
  /** Elements without an `ordinalPosition` get one: it is counted, and again when the list changes. */
  readonly numbered?: true
  /** Items of the list are checked independently, so that long lists can be checked in slices. */
  readonly itemwise?: boolean
  /**
   * `always` (default): in every answer. `request`: in a list only when `fields` names it. `only-request`: even in a
   * single get only with `fields`.
   */
  readonly shown?: 'always' | 'request' | 'only-request'
  /** Aliases in requests, such as `owner` for `owners`; a single value becomes a list. */
  readonly aliases?: readonly string[]
  /** Query parameter that filters lists by this member; default: the alias of a list, else the name. */
  readonly filter?: string
  /** Maps values to a few categories, by which lists and searches can be filtered under the name of {@link filter}. */
  readonly category?: {
    readonly groups: readonly string[]
    /** The category of a value, or of an absent one; `undefined`: none. */
    readonly of: (value: Json | undefined) => string | undefined
    /** Description of the query parameter in the OpenAPI document. */
    readonly description: string
  }
  /** Never changes after creation (parents, names). */
  readonly fixed?: boolean
  /** The first of several references is also answered alone under this name. */
  readonly first?: string
  /** Not accepted in requests: set by its own verb, or derived. */
  readonly readOnly?: boolean
  /** Read-only, but written by an imported document, and so restored by a revert. */
  readonly imported?: true
  /** Read-only, but restored when the request that wrote it is undone. */
  readonly undone?: true
  /**
   * It is compared with the parent, and with what entities of these kinds say (`*`: of all kinds): whether it holds tells
   * what that is, so whoever writes it must be able to view the parent, and these kinds as well.
   */
  readonly compared?: readonly string[]
  /** Personal data: encrypted in events with a key of the entity, which can be destroyed. */
  readonly personal?: true
  /** Description in the OpenAPI document. */
  readonly description?: string
}

export interface Parent {
  /** Name of the member, e.g. `databaseSchema`. */
  readonly field: string
  readonly kinds: readonly string[]
  /** If absent, the next member of the list is the parent. */
  readonly optional?: boolean
  /** Whether an entity may stand below an element of the parent: the test case of a column. */
  readonly elements?: true
  /** Description of the member in the OpenAPI document. */
  readonly description?: string
}

/** The place of a new entity, from its parsed create request. */
export interface Place {
  /** The parent, from a member of the request or derived. */
  readonly parent?: { readonly input: ReferenceInput; readonly kinds: readonly string[]; readonly path: string }
  /** Names between the parent's and this one in the FQN (the column of a test case). */
  readonly between?: readonly string[]
}

/** The facts about a referenced entity that rules need. */
export interface Fact {
  readonly reference: Reference
  readonly deleted: boolean
  readonly members: Members
}

/** The facts that a rule may read; all were loaded before. */
export interface Facts {
  get(id: string): Fact | undefined
}

export interface SecretCodec {
  seal(plain: string): JsonObject
  open(sealed: JsonObject): string
}

/** Effects that behaviours need, as arguments. */
export interface Effects extends SecretCodec {
  /** The parsed result of one of the {@link Behaviour.schemas}. */
  schema(text: SchemaText): ParsedSchema
  /** Who asks for the change; `undefined`: the catalog itself. */
  readonly user: string | undefined
  /** Epoch milliseconds. */
  now(): number
}

/** One problem of a request: JSON Pointer into the body, and what to do about it. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** The members of an entity about to be created or changed. */
export interface Draft {
  readonly name: string
  readonly fullyQualifiedName: string
  /** All new members, with references resolved and defaults filled in. */
  readonly members: Members
  /** All present members; `undefined` on create. */
  readonly before: Members | undefined
  readonly parent: Fact | undefined
  /** Members of the request with an unreadable shape: rules that need them are skipped. */
  readonly unreadable?: ReadonlySet<string>
  /** Whether the members are as they were derived once: those of an earlier state, or of a proposed one. */
  readonly wasDerived?: boolean
}

/** The name of a part of an entity, such as a column, for the search index. */
export interface SearchField {
  /** `columns.address.city`, with quotes as in an FQN. */
  readonly path: string
  readonly names: readonly string[]
}

/** The slots of a behaviour. All are pure functions. */
export interface Behaviour {
  /** Replaces the rule "parent member, then name". Returns problems if the place cannot be determined. */
  readonly place?: (request: JsonObject) => Place | Problem[]
  /** `parent`: one entity of this kind per parent, whatever its name. Default `fqn`. */
  readonly identity?: 'fqn' | 'parent'
  /** Completes the members before {@link check}. Deterministic, since results are compared. */
  readonly derive?: (draft: Draft, effects: Effects) => { members: Members; problems?: Problem[] }
  /** The schema texts that {@link derive} needs parsed, which may take long. */
  readonly schemas?: (draft: Pick<Draft, 'members' | 'before'>) => readonly SchemaText[]
  /** Ids of further entities that {@link check} needs, derived from those already loaded. */
  readonly needs?: (draft: Draft, facts: Facts) => string[]
  /** Rules that need facts about others. */
  readonly check?: (draft: Draft, facts: Facts) => Problem[]
  /** Whether the change is backward-incompatible: the version goes up by 1.0. */
  readonly breaking?: (before: Members, after: Members) => boolean
  /** Words for the search index in addition to name, display name, description, tags and owners. */
  readonly searchFields?: {
    /** The field of the query language that finds them. */
    readonly part: 'columns' | 'fields' | 'synonyms'
    readonly of: (members: Members) => readonly SearchField[]
  }
}

/** A member that no event sets: it is computed when the entity is read. */
export type Computed =
  /** Direct children of a kind, as references. */
  | { readonly from: 'children'; readonly kind: string; readonly shown: 'request' | 'only-request' }
  /** Entities that refer to this one in their member `rel`, as references. */
  | { readonly from: 'related'; readonly rel: string; readonly shown: 'request' | 'only-request' }
  /** Always `false` on the entity itself; an answer that combines several entities may differ. */
  | { readonly from: 'nothing'; readonly description: string; readonly shown: 'always' }
  /** Whether the entity or its parent has another version than the two in its member `in`. Absent without those. */
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

/** Verbs of a kind beyond create, read, change and delete. */
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
  /** A data asset: may have a contract, and is in the `dataAsset` search index. */
  readonly dataAsset?: boolean
  /** References to it are shown as tag labels with this source. */
  readonly labels?: 'Classification' | 'Glossary'
  /** A user or team: with the shipped roles only administrators change these. */
  readonly principal?: boolean
  /** A supporting kind, such as a service or a test: among equal search hits others come first. */
  readonly serving?: boolean
}

/** The definition of a kind, as data: the engine never checks which kind it handles. */
export interface KindDefinition {
  /** `type` in references, e.g. `databaseSchema`. Letters only; part of the storage format. */
  readonly name: string
  /** Path below `/v1/`, e.g. `services/databaseServices`. */
  readonly path: string
  /** One sentence for the OpenAPI document. */
  readonly description: string
  /** Nearest first. If empty, the name is the FQN. */
  readonly parents: readonly Parent[]
  /** Members copied from the parent on creation: further ancestors, such as `database` and `service` of a table. */
  readonly ancestors: readonly string[]
  /** Deleted and restored with its parent, without counting as its child. */
  readonly dependent: boolean
  /** Members that all descendants show as their own, such as `serviceType`. */
  readonly shownBelow: readonly string[]
  /** Members that rules of other kinds read of this one: only these are loaded for references. */
  readonly facts: readonly string[]
  readonly fields: Readonly<Record<string, Field>>
  readonly computed: Readonly<Record<string, Computed>>
  readonly traits: Traits
  readonly behaviour: Behaviour
  /** Largest `limit` of a list (default 1,000). */
  readonly maxLimit: number
  /** Members of the example request beyond those derived from the definition. */
  readonly example?: JsonObject
  /** Create requests of entities that exist on first start. */
  readonly seeds: readonly JsonObject[]
}
