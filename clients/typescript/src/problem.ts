import type { Schemas } from './generated/schemas.ts'

/** What the catalog says when it does not do as asked: RFC 9457, as an error. */
export class CatalogProblem extends Error {
  override readonly name = 'CatalogProblem'
  /** HTTP status. */
  readonly status: number
  /** e.g. `NOT_FOUND`; `UNKNOWN` when something between here and the catalog answered. */
  readonly code: Schemas['Problem']['code'] | 'UNKNOWN'
  /** Each thing wrong with the body, with a JSON Pointer into it, or `?name` of a parameter. */
  readonly errors: Schemas['Problem']['errors']
  /** Names this one occurrence; the log of the catalog has it, too. */
  readonly instance: string | undefined
  /** Identity of the request, which the log of the catalog has, too. */
  readonly requestId: string | undefined
  /** Seconds after which the same request may be sent again. */
  readonly retryAfter: number | undefined

  private constructor(response: Response, problem: Partial<Schemas['Problem']>, text: string) {
    const said = problem.message ?? (text.slice(0, 200) || response.statusText)
    const details = (problem.errors ?? []).map(({ path, message }) => `\n  ${path} ${message}`).join('')
    super(`${response.status} ${said}${details}`)
    this.status = response.status
    this.code = problem.code ?? 'UNKNOWN'
    this.errors = problem.errors ?? []
    this.instance = problem.instance
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = retryAfterOf(response)
  }

  /** Reads it from an answer. */
  static async from(response: Response): Promise<CatalogProblem> {
    const text = await response.text()
    return new CatalogProblem(response, problemIn(response, text), text)
  }
}

/** The problem in an answer; empty when something between here and the catalog answered, whatever that sent. */
const problemIn = (response: Response, text: string): Partial<Schemas['Problem']> => {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return {}
  try {
    return (JSON.parse(text) as Schemas['Problem'] | null) ?? {}
  } catch {
    return {}
  }
}

/** Seconds that an answer asks to wait: a number of them, or a date. */
const retryAfterOf = (response: Response): number | undefined => {
  const text = response.headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
