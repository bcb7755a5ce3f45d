import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { listening } from '../support/listening.ts'
import { startProcess } from '../support/running.ts'
import { waitFor } from '../support/waitFor.ts'

it('sends spans to the collector that the variables of OpenTelemetry name, also those of its end', async () => {
  const taken: { url?: string; type?: string; key?: string | string[]; text: string }[] = []
  const collector = await listening((request, response) => {
    void buffer(request).then((body) => {
      const { 'content-type': type, 'x-key': key } = request.headers
      taken.push({ url: request.url, type, key, text: body.toString('latin1') } as (typeof taken)[0])
      response.end()
    })
  })
  const service = await startProcess({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
    OTEL_SERVICE_NAME: 'catalog of the shop',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  const { status } = await service.call('POST', '/v1/glossaries', { name: 'g' })
  expect(status).toBe(201)
  await waitFor(() => expect(taken.map(({ text }) => text).join('')).toContain('POST /api/v1/glossaries'))
  expect(taken[0]).toMatchObject({ url: '/v1/traces', type: 'application/x-protobuf', key: 'secret' })
  expect(taken[0]?.text).toContain('catalog of the shop')
  expect(await service.stop('SIGTERM')).toBe(0)
})

it('ends in time where the collector never answers', async () => {
  let asked = 0
  const service = await startProcess({
    OTEL_EXPORTER_OTLP_ENDPOINT: await listening(() => void asked++),
    // Longer than this test may take.
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_BSP_EXPORT_TIMEOUT: '600000',
  })
  expect((await service.call('POST', '/v1/glossaries', { name: 'g' })).status).toBe(201)
  expect(await service.stop('SIGTERM')).toBe(0)
  expect(asked).toBeGreaterThan(0)
  expect(service.output()).toContain('the collector did not take the last ones within 2 seconds')
})
