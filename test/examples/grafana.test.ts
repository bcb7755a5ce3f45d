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

/** Names of metrics in a query: words that are neither functions nor keywords nor labels. */
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

/** Units as words of a name that are not base units, and abbreviations of such. */
const otherUnits =
  /_(s|ms|us|ns|sec|m|h|d|b|kb|mb|gb|tb|pb|(milli|micro|nano)seconds?|minutes?|hours?|days?|weeks?|(kilo|mega|giga|tera)bytes?|bits?|percent|celsius)(_|$)/

/** What `promtool check metrics` objects to in a metric. */
const objections = ({ name, type, help }: { name: string; type: string; help: string }): string[] =>
  [
    { objection: 'has no help text', isSo: help === '' },
    { objection: 'is a counter and does not end so', isSo: type === 'counter' && !name.endsWith('_total') },
    { objection: 'ends like a counter', isSo: type !== 'counter' && name.endsWith('_total') },
    { objection: 'ends like a part of a histogram', isSo: type !== 'histogram' && parts.test(name) },
    { objection: 'names its type', isSo: new RegExp(`_(counter|gauge|histogram|summary)(_|$)`).test(name) },
    { objection: 'is not in snake case', isSo: !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) },
    { objection: 'is not in a base unit', isSo: otherUnits.test(name.replace(/_total$/, '')) },
  ].flatMap(({ objection, isSo }) => (isSo ? [`${name} ${objection}`] : []))

test('metrics are named as promtool wants it', async () => {
  const service = await startInProcess()
  const { body } = await service.call('GET', '/metrics')
  const helps = new Map([...(body as string).matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name, help]) => [name, help]))
  const metrics = [...(body as string).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
    help: helps.get(name) ?? '',
  }))
  expect(metrics.length).toBeGreaterThan(20)
  expect(metrics.flatMap(objections)).toEqual([])
  expect(objections({ name: 'catalog_lag_ms_total', type: 'gauge', help: '' })).toHaveLength(3)
})
