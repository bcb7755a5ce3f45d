import { expect, it } from 'vitest'
import { untyped } from '../../console/src/api/typedJson.ts'
import { askedFor, startOf } from '../../console/src/forms/existing.ts'
import { createMembers, type Control, type Member } from '../../console/src/forms/schema.ts'
import { bodyOf } from '../../console/src/forms/values.ts'
import fc from '../support/fastCheck.ts'

const json = fc.jsonValue()
const filled = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '')
const text = fc.oneof(filled, fc.constantFrom('two\nlines', ' before', 'behind ', 'x\n'))

it.each<[Control, fc.Arbitrary<unknown>]>([
  [{ type: 'text', long: false, known: [] }, text],
  [{ type: 'text', long: true, known: [] }, text],
  [{ type: 'choice', values: ['one'] }, filled.map((value) => value.trim())],
  [{ type: 'number' }, fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())],
  [{ type: 'boolean' }, fc.boolean()],
  [{ type: 'words' }, fc.array(fc.oneof(text, fc.constant('')), { minLength: 1 })],
  [{ type: 'json' }, json],
  [{ type: 'columns', dataTypes: [] }, json],
  [{ type: 'group', members: [] }, json],
])('what is there is saved as it is where nobody changes it: %j', (control, values) => {
  const member: Member = { name: 'it', path: '/it', required: false, description: undefined, control }
  fc.assert(
    fc.property(values, (value) => {
      const asked = askedFor(member, value)
      const isLine = asked.control.type === 'text' && !asked.control.long
      const values = startOf(asked, value)
      // Browsers take line breaks out of what has one line.
      const held = isLine ? { '/it': String(values['/it']).replaceAll(/[\r\n]/g, '') } : values
      const body = untyped(bodyOf([asked], held))
      expect(body).toEqual({ it: JSON.parse(JSON.stringify(value)) })
    }),
  )
})

it('what may be null has no choice of that name', () => {
  const state = { type: ['string', 'null'], enum: ['Draft', 'Active', null] }
  const [member] = createMembers({ CreateThing: { properties: { state } } }, 'thing')
  expect(member?.control).toEqual({ type: 'choice', values: ['Draft', 'Active'] })
})
