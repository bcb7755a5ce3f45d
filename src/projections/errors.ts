import { UnsupportedSchemaVersion } from '../events/codec.ts'
import { OtherLog } from '../events/events.ts'
import { CatalogError } from '../shared/errors/namedError.ts'

/** A projection did not reach a position in time. The write is durable and will become visible. */
export class ProjectionBehind extends CatalogError {
  override readonly name = 'ProjectionBehind'
}

/** The read models were replaced: the projector must read the checkpoint again. */
export class StaleReadModels extends CatalogError {
  override readonly name = 'StaleReadModels'
}

/** Stored read models are unreadable and must be rebuilt. */
export class DamagedReadModels extends CatalogError {
  override readonly name = 'DamagedReadModels'
}

/** Whether only a rebuild can repair it. */
export const needsRebuild = (error: unknown): error is OtherLog | DamagedReadModels =>
  error instanceof OtherLog || error instanceof DamagedReadModels

/** Whether trying again is of no use: only a rebuild, or a newer version of the catalog, can go on. */
export const endsProjecting = (error: unknown): boolean =>
  needsRebuild(error) || error instanceof UnsupportedSchemaVersion

type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never

/** Joins the methods of several ports into one. */
export const mergePorts = <C extends readonly object[]>(calls: C): UnionToIntersection<C[number]> =>
  Object.assign({}, ...calls)
