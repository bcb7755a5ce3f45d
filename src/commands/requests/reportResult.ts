import type { KindDefinition } from '../../kinds/defineKind.ts'
import { reportOf, type RunResult } from '../testResults.ts'
import type { Verb } from './verbRequest.ts'

/** Notes how a run of a test went; what was said before changes nothing. @param user who says so */
export const reportResult = (
  to: { readonly definition: KindDefinition; readonly id: string },
  result: RunResult,
  user: string,
): Verb => ({
  ...to,
  command: (_, { members }) => {
    const report = reportOf(members, result, user)
    return report === undefined ? { type: 'Keep' } : { type: 'Validate', ...report }
  },
})
