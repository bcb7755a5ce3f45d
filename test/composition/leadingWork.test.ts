import { expect, onTestFinished, test } from 'vitest'
import type { Logger } from 'pino'
import type { Api } from '../../src/api/deps.ts'
import { startContractValidation } from '../../src/composition/leadingWork.ts'
import type { EventBatch } from '../../src/events/eventStore.ts'
import { streamName } from '../../src/events/events.ts'
import { entityId } from '../../src/kinds/names.ts'
import { StoreUnavailable } from '../../src/stores/errors.ts'

const assets = ['a', 'b'].map((name) => entityId('table', name))
const contractOf = (asset: string): string => entityId('dataContract', asset)

/** Validates the contracts of two changed assets. @returns contracts in order of the attempts, and logged messages */
const validateBoth = (failure: Error) => {
  const attempts: string[] = []
  const logged: string[] = []
  const queued = async (stream: string) => {
    attempts.push(stream)
    if (attempts.length === 1) throw failure
    return { result: { changed: false } }
  }
  const api = {
    commands: { waitForPosition: async () => undefined, queued },
    readModels: {
      list: async () => ({ rows: [], hasAfter: false }),
      getHeads: async () => new Map(),
      getMany: async (ids: string[]) =>
        new Map(ids.map((id) => [id, { id, kind: 'dataContract', status: 'live', entityStatus: 'Active' }])),
    },
    runner: { projects: () => true },
  } as unknown as Api
  const logger = {
    warn: (_: object, message: string) => void logged.push(`warn: ${message}`),
    error: (_: object, message: string) => void logged.push(`error: ${message}`),
  }
  const validation = startContractValidation({ api, logger: logger as unknown as Logger, baseUrl: '' })
  onTestFinished(() => validation.close())
  const events = assets.map((id, index) => ({
    id: `event-${index}`,
    position: BigInt(index + 1),
    stream: streamName('table', id),
    type: 'Updated',
    data: {},
    metadata: { kind: 'table', correlationId: 'c', commandId: `m${index}` },
  }))
  validation.saw({ events } as unknown as EventBatch)
  return { attempts, logged }
}

const [first, second] = assets.map((id) => streamName('dataContract', contractOf(id)))

test('a contract whose validation fails inside does not hold back the others', async () => {
  const { attempts, logged } = validateBoth(new TypeError('a bug'))
  await expect.poll(() => attempts).toEqual([first, second])
  expect(logged).toEqual(['error: a contract cannot be validated'])
})

test('contracts are validated in order once the store can be reached again', async () => {
  const { attempts, logged } = validateBoth(new StoreUnavailable('down'))
  await expect.poll(() => attempts).toEqual([first, first, second])
  expect(logged).toEqual([
    'warn: contracts of assets that changed cannot be validated at the moment; it is tried again',
  ])
})
