import { expect, test } from 'vitest'
import { namesMarked, utf8Of } from '../../src/shared/texts.ts'

test('texts are put together as the bytes of the one text that they make', () => {
  const texts = ['{"name":"', 'plain', 'Zürich', '東京 🗼', '\ud83d', '', '"}']
  expect(utf8Of(texts)).toEqual(Buffer.concat(texts.map((text) => Buffer.from(text))))
  expect(utf8Of([])).toEqual(Buffer.alloc(0))
})

test('a text names a member that marks sealed values only where it has it as a name', () => {
  expect(namesMarked('{"password":{"$sealed":"v1:…"}}', '$sealed')).toBe(true)
  expect(namesMarked('{"note":"costs $sealed"}', '$sealed')).toBe(false)
  expect(namesMarked('{"price":"5 $"}', '$sealed')).toBe(false)
})
