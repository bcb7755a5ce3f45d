import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
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
  /** The user who does it; left out: the one who seeds. */
  readonly by?: string
}

export interface DeedStep {
  readonly title: string
  readonly deeds: readonly Deed[]
}

/** What feeds assets, according to a source. */
export interface LineageStep {
  readonly title: string
  readonly source: string
  readonly statements: readonly {
    readonly kind: string
    /** Fully qualified name of the asset. */
    readonly of: string
    readonly edges: readonly JsonObject[]
    /** What fed it before, so that it has a past. */
    readonly earlier?: readonly JsonObject[]
  }[]
}

/** How tests ran every day up to the present one. */
export interface ResultStep {
  readonly title: string
  readonly path: string
  readonly days: number
  readonly results: readonly {
    readonly testCase: string
    /** Days ago, from and to, in which it failed. */
    readonly failed?: readonly (readonly [from: number, to: number])[]
    /** What the failed runs say. */
    readonly message?: string
  }[]
}

/** A part of the load. Steps run in order; the items of a bulk step in order, those of any other side by side. */
export type Step = UpsertStep | DeedStep | LineageStep | ResultStep

const folder = fileURLToPath(new URL('../../../examples/demo', import.meta.url))

/** The demo company as the YAML files of `examples/demo` hold it: one document for each step, in the order of loading. */
export const companySteps = (): Step[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .flatMap((name) => [...parseAllDocuments(readFileSync(`${folder}/${name}`, 'utf8'))])
    .map((document) => {
      if (document.errors[0] !== undefined) throw document.errors[0]
      return document.toJS() as Step
    })

/** Number of requests' items in a step. */
export const sizeOf = (step: Step): number =>
  ('deeds' in step
    ? step.deeds
    : 'statements' in step
      ? step.statements
      : 'results' in step
        ? step.results
        : step.items
  ).length
