import { expect, it } from 'vitest'
import { readOpenLineage } from '../../../src/cli/load/lineageEvents.ts'
import { temporaryFile } from '../../support/folders.ts'

it('reads an event a line, also where a text has line separators of Unicode', async () => {
  const events = [{ producer: 'first\u2028second' }, { producer: 'third' }]
  const file = await temporaryFile(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  expect((await readOpenLineage(file)).events).toEqual(events)
})
