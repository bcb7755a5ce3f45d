import { expect, it } from 'vitest'
import { readOpenLineage } from '../../../src/cli/load/lineageEvents.ts'
import { temporaryFile } from '../../support/folders.ts'

it('reads an event a line, also where a text has line separators of Unicode', async () => {
  const events = [{ producer: 'first\u2028second' }, { producer: 'third' }]
  const file = await temporaryFile(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  expect((await readOpenLineage(file)).events).toEqual(events)
})

it('hands on all digits of numbers', async () => {
  const text = '{"run":{"facets":{"rows":[9007199254740993,0.1,123456789012345678.25]}}}'
  const { events } = await readOpenLineage(await temporaryFile(text))
  expect(JSON.stringify(events)).toBe(`[${text}]`)
})
