import { readable } from '../attack/inspect.ts'
import { turnsOf, type Turns } from '../attack/turns.ts'
import { must } from '../console/shop.ts'
import { startBuilt, temporaryDataDir, type Call } from '../support/service.ts'

/** A service whose turns are measured, with the schema `s.d.c`. */
export interface Measured {
  readonly call: Call
  readonly turns: Turns
  /** Puts what must be accepted. @returns its id */
  readonly put: (path: string, body: object) => Promise<string>
  readonly stop: () => Promise<void>
}

export const startMeasured = async (): Promise<Measured> => {
  const folder = temporaryDataDir()
  const { call, stop, ...running } = await startBuilt(folder.path, { ...readable })
  const turns = await turnsOf({ call, stop, ...running })
  const put: Measured['put'] = async (path, body) => (await must(call('PUT', `/v1/${path}`, body)))['id'] ?? ''
  await put('services/databaseServices', { name: 's', serviceType: 'Mysql' })
  await put('databases', { name: 'd', service: 's' })
  await put('databaseSchemas', { name: 'c', database: 's.d' })
  return {
    call,
    turns,
    put,
    stop: async () => {
      turns.close()
      await stop()
      await folder.remove()
    },
  }
}

/** Names of as many columns as the largest requests of tests have. */
export const manyNames = Array.from({ length: 9000 }, (_, index) => `c${index}`)
