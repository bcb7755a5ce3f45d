import { describe, expect, test } from 'vitest'
import { startInProcess, type InProcess } from '../support/running.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const caller = '00f067aa0ba902b7'
const headers = { traceparent: `00-${traceId}-${caller}-01` }

/** `traceparent` of the events that the feed has of these kinds. */
const told = async ({ call }: InProcess): Promise<(string | undefined)[]> =>
  (await call('GET', '/v1/events?kind=glossary,glossaryTerm')).body.data.map(
    ({ traceparent }: { traceparent?: string }) => traceparent,
  )

describe('the traceparent of a request', () => {
  test('stands in its events, in those of a cascade too, and goes out with the feed', async () => {
    const service = await startInProcess()
    await service.call('POST', '/v1/glossaries', { name: 'g' }, { headers })
    await service.call('POST', '/v1/glossaryTerms', { name: 'a', glossary: 'g' })
    await service.call('DELETE', '/v1/glossaries/name/g?recursive=true', undefined, { headers })
    expect(await told(service)).toEqual([headers.traceparent, undefined, headers.traceparent, headers.traceparent])
  })

  test('is left alone when it is none', async () => {
    const service = await startInProcess()
    for (const [index, traceparent] of [
      'x',
      `00-${'0'.repeat(32)}-${caller}-01`,
      `ff-${traceId}-${caller}-01`,
    ].entries())
      await service.call('POST', '/v1/glossaries', { name: `g${index}` }, { headers: { traceparent } })
    expect(await told(service)).toEqual([undefined, undefined, undefined])
  })
})
