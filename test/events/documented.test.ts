import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { schemaVersion } from '../../src/events/events.ts'
import { eventTypes } from '../../src/events/verbs.ts'

it('docs/consuming.md names every event type, and the version of their shapes', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/consuming.md'), 'utf8')
  const change = /\n- `data` is the change: [^]*?\n- /.exec(page)?.[0] ?? ''
  const named = [...change.matchAll(/`([A-Z][a-z]\w+)`/g)].map(([, type]) => type as string)
  expect([...new Set(named)].toSorted()).toEqual(eventTypes.toSorted())
  expect(page).toContain(`"schemaversion": "${schemaVersion}"`)
  expect(page).toContain(`\`schemaVersion\` is ${schemaVersion}.`)
})
