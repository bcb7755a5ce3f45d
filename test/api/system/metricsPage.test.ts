import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeMetrics } from '../../../src/api/system/metrics.ts'

const page = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8')

/** Metrics of a process that has everything they tell of. */
const everything = () => {
  const webhook = { name: 'w', lag: 1n, deadLetters: 0, failing: false }
  const metrics = makeMetrics({
    progress: async () => ({ position: 1n, head: 1n, projects: true, waiting: { events: 0, seconds: 0 } }),
    projections: async () => new Map([['entities', 1n]]),
    stores: async () => ({ eventStore: true }),
    webhooks: async () => [webhook, { ...webhook, channel: 'email' }],
    witnesses: async () => [{ name: 'file' }],
    entities: async () => [{ kind: 'table', total: 1, undescribed: 1, unowned: 1 }],
    openStreams: () => 0,
    responseCache: () => ({ answers: 0, bytes: 0, hits: 0 }),
    keysFailing: () => false,
    logAhead: () => 0,
  })
  metrics.requestAnswered('GET', '/', 200, 1)
  metrics.storeCalled('event_store', 'append', 'ok', 1)
  metrics.eventsAppended('Created', 1)
  return metrics
}

test('the page of metrics names each with its type and labels, and no others', async () => {
  const text = (await everything().text()).join('')
  const labelsOf = (name: string): string => {
    const [, labels = ''] = new RegExp(`^${name}(?:_bucket)?\\{([^}]*)\\}`, 'm').exec(text) ?? []
    return [...labels.matchAll(/(\w+)="/g)].flatMap(([, label]) => (label === 'le' ? [] : [label])).join(', ')
  }
  const served = [...text.matchAll(/^# TYPE (catalog_(\S+)) (\S+)$/gm)].map(
    ([, full = '', name, type]) => `${name}: ${type} (${labelsOf(full)})`,
  )
  const told = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| ([\w, ]*?) ?\| /gm)].map(
    ([, name, type, labels]) => `${name}: ${type} (${labels})`,
  )
  expect(served.length).toBeGreaterThan(25)
  expect(told.toSorted()).toEqual(served.toSorted())
})

test('the alerts are about metrics of that page', () => {
  const named = [...page.matchAll(/`catalog_(\w+)`/g)].map(([, name = '']) => name.replace(/_count$/, ''))
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
})
