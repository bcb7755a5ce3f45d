import { OtherLog } from '../events/events.ts'
import { NamedError } from '../shared/errors/namedError.ts'

/** A projection did not reach a position in time. What was written is durable and will be seen. */
export class ProjectionBehind extends NamedError {
  override readonly name = 'ProjectionBehind'
}

/** The read models that were written to are read no longer: whoever projects must read the checkpoint again. */
export class ReadModelsReplaced extends NamedError {
  override readonly name = 'ReadModelsReplaced'
}

/** What is stored cannot be read any more: only read models that are built again can be used. */
export class DamagedReadModels extends NamedError {
  override readonly name = 'DamagedReadModels'
}

/** What only read models that are built again can mend. */
export type Lost = OtherLog | DamagedReadModels

export const isLost = (error: unknown): error is Lost => error instanceof OtherLog || error instanceof DamagedReadModels
