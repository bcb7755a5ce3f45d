import fc from '../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import { entityId } from '../../../src/kinds/names.ts'
import { makeOpaqueIds } from '../../../src/shared/secrets/aesGcm.ts'

const [one, other] = [makeOpaqueIds(Buffer.alloc(16, 1)), makeOpaqueIds(Buffer.alloc(16, 2))]

test('an opaque id is a UUID of its own, is revealed with its key alone, and other ids stay as they are', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const id = entityId('table', name)
      const hidden = one.hideId(id)
      expect(hidden).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect([one.hideId(id), one.revealId(hidden), one.revealId(id)]).toEqual([hidden, id, id])
      expect([other.hideId(id), other.revealId(hidden)]).not.toContain(id)
      expect(other.hideId(id)).not.toBe(hidden)
    }),
  )
})
