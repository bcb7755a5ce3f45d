import { expect, test } from 'vitest'
import { namesMarked } from '../../../src/shared/secrets/sealed.ts'

test('a text names a member that marks sealed values only where it has it as a name', () => {
  expect(namesMarked('{"password":{"$sealed":"v1:…"}}', '$sealed')).toBe(true)
  expect(namesMarked('{"note":"costs $sealed"}', '$sealed')).toBe(false)
  expect(namesMarked('{"price":"5 $"}', '$sealed')).toBe(false)
})
