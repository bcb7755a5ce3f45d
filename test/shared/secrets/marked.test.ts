import { expect, test } from 'vitest'
import { hasJsonMember } from '../../../src/shared/secrets/sealed.ts'

test('a text names a member that marks sealed values only where it has it as a name', () => {
  expect(hasJsonMember('{"password":{"$sealed":"v1:…"}}', '$sealed')).toBe(true)
  expect(hasJsonMember('{"note":"costs $sealed"}', '$sealed')).toBe(false)
  expect(hasJsonMember('{"price":"5 $"}', '$sealed')).toBe(false)
})
