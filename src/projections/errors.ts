import { OtherLog } from '../events/events.ts'
import { NamedError } from '../shared/errors/namedError.ts'

/** A projection did not reach a position in time. The write is durable and will become visible. */
export class ProjectionBehind extends NamedError {
  override readonly name = 'ProjectionBehind'
}

/** The read models were replaced: the projector must read the checkpoint again. */
export class ReadModelsReplaced extends NamedError {
  override readonly name = 'ReadModelsReplaced'
}

/** Stored read models are unreadable and must be rebuilt. */
export class DamagedReadModels extends NamedError {
  override readonly name = 'DamagedReadModels'
}

/** Errors that only a rebuild can repair. */
export type RebuildNeeded = OtherLog | DamagedReadModels

export const needsRebuild = (error: unknown): error is RebuildNeeded =>
  error instanceof OtherLog || error instanceof DamagedReadModels
