import { afterAll, beforeAll, describe } from 'vitest'
import type { KindDefinition } from '../../../src/kinds/defineKind.ts'
import { makerOf, startHttp, verbsOf, type Http, type Maker, type Verbs } from '../support.ts'

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
}

export const unknownId = '00000000-0000-4000-8000-000000000000'

/** Runs suites for each of the kinds, on one service. Called by test files: each takes some of the kinds. */
export const describeKinds = (
  kinds: readonly KindDefinition[],
  suites: readonly ((kind: KindUnderTest) => void)[],
): void => {
  let http: Http

  beforeAll(async () => {
    http = await startHttp()
  })

  afterAll(() => http.stop())

  describe.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (_, definition) => {
    const call: Http['call'] = (...request) => http.call(...request)
    const refused: Http['refused'] = (...request) => http.refused(...request)
    const kind = {
      ...verbsOf(call, refused),
      definition,
      path: `/v1/${definition.path}`,
      call,
      refused,
      maker: makerOf(call, definition),
      url: () => http.url,
    }
    for (const suite of suites) suite(kind)
  })
}
