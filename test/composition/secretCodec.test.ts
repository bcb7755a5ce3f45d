import fc from '../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { DecryptionError, makeSecretCodec } from '../../src/composition/secretCodec.ts'

const secretCodec = makeSecretCodec('a key of more than thirty-two bytes')

describe('sealed secrets', () => {
  test('open to what was sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
        expect(secretCodec.open(secretCodec.seal(plain))).toBe(plain)
      }),
    )
  })

  test('survive JSON and another start with the same key', () => {
    const sealed = JSON.parse(JSON.stringify(secretCodec.seal('hunter2')))
    expect(makeSecretCodec('a key of more than thirty-two bytes').open(sealed)).toBe('hunter2')
  })

  test('open when they were sealed by an older build', () => {
    const sealed = { $sealed: 'v1:RG9bNXg57whb3X-y:dOqoY5xQOdy5sbUtLlJ2daZxhzdHVGA' }
    expect(secretCodec.open(sealed)).toBe('hunter2')
  })

  test('show nothing and are different each time', () => {
    const [one, other] = [secretCodec.seal('hunter2'), secretCodec.seal('hunter2')]
    expect(one['$sealed']).toMatch(/^v1:[\w-]{16}:[\w-]{31}$/)
    expect(one).not.toEqual(other)
  })

  test('do not open with another key, and say why', () => {
    const open = () => makeSecretCodec('another key').open(secretCodec.seal('hunter2'))
    expect(open).toThrow(DecryptionError)
    expect(open).toThrow('CATALOG_SECRET_KEY')
  })

  test('do not open when anything was changed', () => {
    // 8 bytes and the tag are 32 characters without a remainder, so that every character counts.
    const text = secretCodec.seal('hunter22')['$sealed'] as string
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
      expect(() => secretCodec.open({ $sealed: changed }), `character ${at}`).toThrow(DecryptionError)
    }
  })

  test.each([{}, { $sealed: 7 }, { $sealed: '' }, { $sealed: 'v2:AAAA:AAAA' }, { $sealed: 'v1:AAAA:AAAA' }])(
    '%j is none',
    (value) => {
      expect(() => secretCodec.open(value)).toThrow(DecryptionError)
    },
  )
})
