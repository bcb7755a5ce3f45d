import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createOdcsRunner, DocumentLimitError } from '../../src/odcs/odcsThreads.ts'
import { MINIMAL, V31 } from './documents.ts'
import { longEnough } from '../support/patience.ts'

const somebody = { caller: 'ann', signal: new AbortController().signal }

const time = Date.UTC(2026, 0, 1)

const runner = createOdcsRunner({ count: 1 })
afterAll(() => runner.close())

test('a document is read in another thread', async () => {
  const bytes = new TextEncoder().encode(V31)
  const imported = await runner.run(somebody, 'importDocument', bytes, {
    contentType: 'yaml',
    objectName: 'orders',
    time,
  })
  if (!imported.ok) throw new Error('refused')
  const current = { stored: imported.stored, contract: imported.contract, time }
  expect(await runner.run(somebody, 'exportYaml', current)).toBe(V31)
  expect(await runner.run(somebody, 'exportJson', current)).toContain('18446744073709551615')
})

test('what a caller asks for who has left is dropped, and the next one is served', async () => {
  const left = new AbortController()
  const large = `a: [${'1,'.repeat(300_000)}1]`
  const started: unknown[] = []
  const note = (worker: unknown): void => void started.push(worker)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  const own = createOdcsRunner({ count: 1, timeout: 4 * longEnough })
  onTestFinished(own.close)
  const asked = Array.from({ length: 3 }, () =>
    own.run({ caller: 'eve', signal: left.signal }, 'parsePreview', large, 'yaml'),
  )
  const other = own.run(somebody, 'parsePreview', `${MINIMAL}name: mine\n`, 'yaml')
  await expect.poll(() => started.length).toBe(1)
  left.abort(new Error('gone'))
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual(
    Array.from({ length: 3 }, () => 'Error: gone'),
  )
  expect(await other).toMatchObject({ ok: true, name: 'mine' })
  // The thread of the first document was ended, and the others never had one.
  expect(started).toHaveLength(2)
})

test('a caller who asks for much waits for himself, not others for him', async () => {
  const order: string[] = []
  const ask = (caller: string): Promise<void> =>
    runner.run({ ...somebody, caller }, 'parsePreview', MINIMAL, 'yaml').then(() => void order.push(caller))
  await Promise.all([...Array.from({ length: 6 }, () => ask('eve')), ask('ann')])
  expect(order.indexOf('ann')).toBeLessThan(3)
})

test('a document that takes too long is a problem, and the next one is read', async () => {
  const impatient = createOdcsRunner({ count: 1, timeout: 1 })
  expect(await impatient.run(somebody, 'parsePreview', `a: [${'1,'.repeat(300_000)}1]`, 'yaml')).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining('too long') }],
  })
  await impatient.close()
  expect(await runner.run(somebody, 'parsePreview', MINIMAL, 'yaml')).toMatchObject({ ok: true })
})

test('problems whose places cannot be found in time are told without them', async () => {
  const impatient = createOdcsRunner({ count: 1, timeout: 1 })
  const problems = [{ path: '/roles/policies', message: 'must have at most 10000 items' }]
  const text = `a: [${'1,'.repeat(300_000)}1]`
  const choice = { entityName: 'orders' }
  expect(await impatient.run(somebody, 'placeProblems', text, 'yaml', choice, problems)).toEqual(problems)
  await impatient.close()
})

test('a thread that has rested is followed by another', async () => {
  const restless = createOdcsRunner({ count: 1, rest: 0 })
  for (const name of ['first', 'second', 'third']) {
    expect(await restless.run(somebody, 'parsePreview', `${MINIMAL}name: ${name}\n`, 'yaml')).toMatchObject({
      ok: true,
      name,
    })
    await nextTurn()
    await nextTurn()
  }
  await restless.close()
})

test('service levels of a document that takes too long are an error, not problems in their place', async () => {
  const imported = await runner.run(somebody, 'importDocument', new TextEncoder().encode(V31), {
    contentType: 'yaml',
    objectName: 'orders',
    time,
  })
  if (!imported.ok) throw new Error('refused')
  const hasty = createOdcsRunner({ count: 1, timeout: 1 })
  onTestFinished(hasty.close)
  await expect(hasty.run(somebody, 'serviceLevels', imported.stored)).rejects.toBeInstanceOf(DocumentLimitError)
})
