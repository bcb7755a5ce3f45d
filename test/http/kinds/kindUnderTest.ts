import { describe, it } from 'vitest'
import type { KindDefinition } from '../../../src/kinds/defineKind.ts'
import { thorough } from '../../support/fastCheck.ts'
import { makerOf, useHttp, verbsOf, type Http, type Maker, type Verbs } from '../support.ts'

/** One kind and a service to call. */
export interface KindUnderTest extends Verbs {
  readonly definition: KindDefinition
  /** Its collection. */
  readonly path: string
  readonly call: Http['call']
  readonly refused: Http['refused']
  readonly maker: Maker
  /** Address of the service, once it runs. */
  url(): string
  /** Declares a test of what the routes of every kind do alike. */
  readonly alike: (title: string, test: () => Promise<void>) => void
}

/** With these that is tested at each run: each has parents, names or an identity of another sort. */
const alike = new Set(['table', 'glossaryTerm', 'user', 'dataContract', 'testCase'])

export const unknownId = '00000000-0000-4000-8000-000000000000'

/** Runs suites for each of the kinds, on one service. Called by test files: each takes some of the kinds. */
export const describeKinds = (
  kinds: readonly KindDefinition[],
  suites: readonly ((kind: KindUnderTest) => void)[],
): void => {
  const http = useHttp()

  describe.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (_, definition) => {
    const kind = {
      ...verbsOf(http.call, http.refused),
      definition,
      path: `/v1/${definition.path}`,
      call: http.call,
      refused: http.refused,
      maker: makerOf(http.call, definition),
      url: () => http.url,
      alike: it.runIf(thorough || alike.has(definition.name)),
    }
    for (const suite of suites) suite(kind)
  })
}
