import { expect, test } from 'vitest'
import { utf8Of } from '../../../src/api/feed/feedRoutes.ts'

test('texts are put together as the bytes of the one text that they make', () => {
  const texts = ['{"name":"', 'plain', 'Zürich', '東京 🗼', '\ud83d', '', '"}']
  expect(utf8Of(texts)).toEqual(Buffer.concat(texts.map((text) => Buffer.from(text))))
  expect(utf8Of([])).toEqual(Buffer.alloc(0))
})
