import type { z } from 'zod'
import { invalid } from '../../../commands/errors.ts'
import { problemsOf } from '../../../kinds/request/zodProblems.ts'

/** Parses a small body. @throws DomainError `invalid` with every problem */
export const parseBody = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw invalid(problemsOf(parsed.error, body, { path: '' }))
}
