import { expect, onTestFinished, test } from 'vitest'
import { makeClock } from '../../src/commands/recording.ts'
import { startConfirmations } from '../../src/processes/confirmations.ts'
import { StoreUnavailable } from '../../src/stores/errors.ts'
import { creating, openWriteSide } from '../support/writeSide.ts'

test('an overdue confirmation that the store did not take is told as soon as it does', async () => {
  const { context, readModels, given, lines } = await openWriteSide({ machine: () => Date.UTC(2020, 0, 2) })
  await given(
    creating('glossary', 'g', { confirmBy: '2020-01-01' }),
    creating('glossary', 'today', { confirmBy: '2020-01-02' }),
  )
  const { log } = context
  const answers = [async () => [{ ok: false, actual: 0n } as const], () => Promise.reject(new StoreUnavailable('down'))]
  context.log = { ...log, append: (appends) => (answers.shift() ?? log.append)(appends) }
  const warned: string[] = []
  const logger = { warn: (_: object, message?: string) => void warned.push(message ?? ''), error: () => {} }
  const { close } = startConfirmations({ commands: context, readModels, runner: { projects: () => true }, logger })
  onTestFinished(close)
  await expect.poll(lines).toContain('FellDue glossary g')
  expect(await lines()).not.toContain('FellDue glossary today')
  expect(warned).toEqual(['overdue confirmations cannot be read at the moment; it is tried again'])
})

test('a confirmation falls due on the day of the machine, also where the log is ahead of it', async () => {
  const { context, readModels, given, lines } = await openWriteSide({ machine: () => Date.UTC(2020, 0, 2) })
  await given(
    creating('glossary', 'g', { confirmBy: '2020-01-01' }),
    creating('glossary', 'today', { confirmBy: '2020-01-02' }),
  )
  context.clock = makeClock(() => Date.UTC(2020, 0, 2), true)
  context.clock.observe(Date.UTC(2020, 1, 1))
  const logger = { warn: () => {}, error: () => {} }
  const { close } = startConfirmations({ commands: context, readModels, runner: { projects: () => true }, logger })
  onTestFinished(close)
  await expect.poll(lines).toContain('FellDue glossary g')
  expect(await lines()).not.toContain('FellDue glossary today')
})
