import type { Json, JsonObject } from '../../shared/json.ts'

/** Create requests of one kind, sent with PUT: one by one, or many at once. */
export interface UpsertStep {
  readonly title: string
  /** Path of the kind below `/v1/`. */
  readonly path: string
  readonly bulk: boolean
  readonly items: readonly JsonObject[]
}

/** Something done to an entity that exists, e.g. a vote: `PUT {path}/{id}/{verb}`. */
export interface Deed {
  readonly path: string
  readonly fullyQualifiedName: string
  readonly verb: string
  /** `{ idOfUser }` stands for the id of the user with this name. */
  readonly body: Json | { readonly idOfUser: string }
  /** Name of the user in whose name it is done; left out: the one who seeds. */
  readonly by?: string
}

export interface DeedStep {
  readonly title: string
  readonly deeds: readonly Deed[]
}

/** A part of the load. Steps are taken in order, the parts of a step in no order, those of a bulk step in order. */
export type Step = UpsertStep | DeedStep

/** A reference in a request. */
export const refer = (type: string, fullyQualifiedName: string): JsonObject => ({ type, fullyQualifiedName })

/** A step of requests one by one. */
export const each = (title: string, path: string, items: readonly JsonObject[]): UpsertStep => ({
  title,
  path,
  items,
  bulk: false,
})

/** A step of many requests at once. */
export const bulk = (title: string, path: string, items: readonly JsonObject[]): UpsertStep => ({
  title,
  path,
  items,
  bulk: true,
})
