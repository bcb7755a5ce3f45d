import { expect, it, onTestFinished } from 'vitest'
import { createSchemaReader, readSchemaText } from '../../src/kinds/schemaText/readSchemaText.ts'
import { longestTurn } from '../support/longestTurn.ts'
import { setLimit } from '../support/limits.ts'
import { longEnough } from '../support/patience.ts'
import { processorTime } from '../support/processorTime.ts'

const fields = Array.from({ length: 3000 }, (_, at) => `string f${at}=${at + 1};`).join('')

it.each([
  ['are large', `syntax="proto3";message A{${fields}}`],
  ['take long though they are small', `syntax="${'\\"'.repeat(4000)}`],
])('schema texts that %s hold nothing up while they are read', async (_, schemaText) => {
  const schema = { schemaType: 'Protobuf', schemaText }
  const read = readSchemaText(schema)
  const alone = processorTime(() => readSchemaText(schema))
  setLimit('schemaTime', longEnough)
  const reader = createSchemaReader()
  onTestFinished(reader.close)
  const longest = await longestTurn(async () =>
    expect(await reader.read({ caller: 'ann', signal: new AbortController().signal }, schema)).toEqual(read),
  )
  expect(longest).toBeLessThan(alone / 2)
})
