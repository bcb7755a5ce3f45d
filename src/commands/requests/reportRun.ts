import type { CatalogEvent } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { Cause } from '../recording.ts'
import type { Request } from '../unitOfWork/request.ts'
import { verb } from './verbRequest.ts'

type Report = (CatalogEvent & { type: 'RunReported' })['data']

/** Notes how a run of a pipeline goes; what was said before changes nothing. */
export const reportRun = (to: { definition: KindDefinition; id: string }, report: Report, cause: Cause): Request =>
  verb({ ...to, command: () => ({ type: 'ReportRun', report }) }, cause)
