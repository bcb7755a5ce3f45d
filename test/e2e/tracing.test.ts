import { describe, expect, test } from 'vitest'
import { startInProcess, type InProcess } from '../support/running.ts'
import { noteSpans } from '../support/spans.ts'

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

test('with a tracer a request is a span below that of its caller, and what it does are spans below that', async () => {
  const spans = noteSpans()
  const service = await startInProcess()
  const { status } = await service.call('POST', '/v1/glossaries', { name: 'g' }, { headers })
  expect(status).toBe(201)
  const request = spans.find(({ name, parent }) => name === 'POST /api/v1/glossaries' && parent === caller)
  expect(request).toMatchObject({
    ended: true,
    context: { traceId },
    attributes: { 'http.route': '/api/v1/glossaries', 'http.response.status_code': 201 },
  })
  const below = spans.filter(({ parent }) => parent === request?.context.spanId)
  expect(below.every(({ ended, context }) => ended && context.traceId === traceId)).toBe(true)
  expect(new Set(below.map(({ name }) => name))).toEqual(
    new Set(['read_models.get_many', 'decide', 'event_store.append']),
  )
  expect(spans.map(({ name }) => name)).toContain('project')
  expect(await told(service)).toEqual([`00-${traceId}-${request?.context.spanId}-01`])
})
