import { MongoClient, type CommandStartedEvent } from 'mongodb'
import { beforeAll, expect, it, vi } from 'vitest'
import { startInProcess, type InProcess } from '../support/running.ts'
import { describeWith } from './support.ts'

describeWith({ log: true, readModels: true }, 'what a create costs the stores', () => {
  const sent: string[] = []
  let service: InProcess
  let glossary = ''
  let created = 0

  beforeAll(() => {
    const connect = MongoClient.prototype.connect
    const spy = vi.spyOn(MongoClient.prototype, 'connect').mockImplementation(function (this: MongoClient) {
      Reflect.set(this, 'monitorCommands', true)
      this.on('commandStarted', ({ command, commandName }: CommandStartedEvent) =>
        sent.push(`${commandName} ${String(command[commandName])}`),
      )
      return connect.call(this)
    })
    return () => spy.mockRestore()
  })

  const create = async (): Promise<void> => {
    const body = {
      name: `term ${++created}`,
      glossary,
      description: 'A word.',
    }
    expect((await service.call('POST', '/v1/glossaryTerms', body)).status).toBe(201)
  }

  /** Commands to the rows of entities for each create, with so many of them under way at a time. */
  const commandsFor = async (creates: number, inFlight: number): Promise<number> => {
    const before = sent.length
    let left = creates
    const writer = async (): Promise<void> => {
      while (left-- > 0) await create()
    }
    await Promise.all(Array.from({ length: inFlight }, writer))
    return sent.slice(before).filter((name) => / entities_/.test(name)).length / creates
  }

  // Of the rows alone: what is written behind a create comes in batches of time, so its share of a create tells the machine.
  it('is bounded, and less the more of them there are at once', async () => {
    service = await startInProcess()
    glossary = String((await service.call('POST', '/v1/glossaries', { name: 'g' })).body.id)
    await commandsFor(50, 8)
    expect(await commandsFor(100, 1)).toBeLessThan(9.5)
    expect(await commandsFor(300, 16)).toBeLessThan(5)
    expect(await commandsFor(600, 64)).toBeLessThan(4)
  })
})
