import type { Random } from '../support/random.ts'
import type { Document, Operation } from './document.ts'
import type { Sizes } from './values.ts'
import type { World } from './world.ts'

/** What all requests of an attack are made of. */
export interface Maker {
  readonly document: Document
  readonly world: World
  readonly seed: string
  readonly sizes: Sizes
}

/** What one request is made of. */
export interface Making extends Maker {
  readonly random: Random
  readonly operation: Operation
  readonly number: number
}

/** The path of the collection that an operation is about, e.g. `services/databaseServices`. */
export const collectionOf = ({ template }: Operation): string =>
  /^\/v1\/((?:services\/|dataQuality\/)?\w+)/.exec(template)?.[1] ?? ''
