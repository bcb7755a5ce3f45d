import { expect, it } from 'vitest'
import { bodyText, placeOf, typedJson, untyped } from '../../console/src/api/typedJson.ts'
import { replaceMember, setMember } from '../../console/src/entity/edits.ts'
import { bodyOf } from '../../console/src/forms/values.ts'
import fc from '../support/fastCheck.ts'

const member = (name: string, type: 'json' | 'number') => ({
  name,
  path: `/${name}`,
  required: false,
  description: undefined,
  control: { type },
})

it.each([
  '{"id": 9007199254740993, "x": 1e400, "d": 123456789012345678.25}',
  '{"a": 1, "a": 2}',
  '[ 1e-400, -0 ]\n',
  'null',
])('the JSON %s goes to the API as it was typed', (text) => {
  const values = { '/extension': text }
  expect(bodyText(bodyOf([member('extension', 'json')], values))).toBe(`{"extension":${text}}`)
})

it.each([
  ['9007199254740993', '9007199254740993'],
  ['1e400', '1e400'],
  ['99.9999', '99.9999'],
  ['seven', '"seven"'],
  ['Infinity', '"Infinity"'],
  ['0x10', '"0x10"'],
])('the number %s goes to the API as %s', (text, sent) => {
  expect(bodyText(bodyOf([member('partitions', 'number')], { '/partitions': text }))).toBe(`{"partitions":${sent}}`)
})

it('what is not JSON goes to the API as a text, and closes no bracket of the body', () => {
  const text = '1}, {"op": "remove"'
  const { request } = replaceMember('extension', typedJson(text))
  const { body } = request({ extension: {} } as never)
  expect(JSON.parse(bodyText(body))).toEqual([{ op: 'add', path: '/extension', value: text }])
})

it('half a surrogate pair goes to the API, which UTF-8 would replace', () => {
  expect(bodyText({ extension: typedJson('{"a": "\ud800"}') })).toBe('{"extension":"{\\"a\\": \\"\\ud800\\"}"}')
})

it('an edit has the value that was typed, and a typed null clears', () => {
  const { value, request } = setMember('extension', typedJson('{"a": [1e3]}'))
  expect(value).toEqual({ a: [1000] })
  expect(bodyText(request({} as never).body)).toBe('{"extension":{"a": [1e3]}}')
  const { body } = replaceMember('extension', typedJson(' null ')).request({ extension: {} } as never)
  expect(JSON.parse(bodyText(body))).toEqual([{ op: 'add', path: '/extension', value: null }])
})

it('a body in which nothing was typed as JSON is what JSON.stringify makes of it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const body = { value, left: undefined, list: [value, undefined] }
      expect(bodyText(body)).toBe(JSON.stringify(body))
      expect(untyped(value)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

it('a problem of what a JSON Patch adds is one of the entity, also where the patch is proposed', () => {
  const patch = [{ op: 'add', path: '/extension', value: typedJson('{"a": 1e400}') }]
  expect(placeOf('/0/value/a', patch)).toBe('/extension/a')
  expect(placeOf('/patch/0/value', { patch })).toBe('/extension')
  for (const path of ['/0/op', '/1/value', '/extension/a', '']) expect(placeOf(path, patch)).toBe(path)
  expect(placeOf('/0/value', undefined)).toBe('/0/value')
})
