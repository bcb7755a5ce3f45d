import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { startInProcess } from '../support/running.ts'

const file = resolve(import.meta.dirname, '../../examples/grafana/dashboard.json')

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

/** Endings that Prometheus gives the parts of a histogram. */
const parts = /_(bucket|sum|count)$/

/** Names of metrics in a query: words that are no function, keyword or label. */
const metricsIn = (expr: string): string[] => [
  ...new Set([...expr.matchAll(/\b((?:catalog|nodejs|process)_[a-z0-9_]+)/g)].map(([, name]) => name as string)),
]

test('every metric that the example dashboard names is one that the service has', async () => {
  const service = await startInProcess()
  await service.call('POST', '/v1/glossaries', { name: 'g' })
  const { body } = await service.call('GET', '/metrics')
  const known = new Set([...(body as string).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const { panels } = JSON.parse(await readFile(file, 'utf8')) as Dashboard
  const named = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)))
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((name) => !known.has(name) && !known.has(name.replace(parts, '')))).toEqual([])
  expect(panels.filter(({ targets }) => targets.some(({ expr }) => metricsIn(expr).length === 0))).toEqual([])
})

test('no metric that is no counter is named like one', async () => {
  const service = await startInProcess()
  const { body } = await service.call('GET', '/metrics')
  const types = [...(body as string).matchAll(/^# TYPE (\S+) (\S+)/gm)].map(([, name = '', type]) => ({ name, type }))
  expect(types.length).toBeGreaterThan(20)
  expect(types.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))).toEqual([])
})
