import { expect, it } from 'vitest'
import { evolve } from '../../../src/commands/evolve.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { toRow } from '../../../src/projections/entities/entityRow.ts'
import { newEvent } from '../../support/events.ts'

it('a member that the catalog computes is not shown as it was once sent', () => {
  const id = entityId('databaseService', 'pg')
  const stream = `databaseService-${id}`
  const members = { serviceType: 'Postgres', dataProducts: ['x'] }
  const created = newEvent({ type: 'Created', data: { name: 'pg', members } }, { stream, name: 'pg', revision: 0n })
  const event = { ...created, stream, revision: 0n, position: 5n }
  const row = toRow(evolve(id, undefined, event), kindNamed('databaseService'))
  expect(`${row.shownAlways}${row.shownOnRequest}`).not.toContain('dataProducts')
  expect(row.shownAlways).toContain('Postgres')
})
