import { expect, it, onTestFinished } from 'vitest'
import { createSchemaReader, readSchemaText } from '../../src/kinds/schemaText/readSchemaText.ts'
import { longestTurn } from '../support/longestTurn.ts'
import { setLimit } from '../support/limits.ts'
import { longEnough } from '../support/patience.ts'
import { processorTime } from '../support/processorTime.ts'

it('schema texts that are large hold nothing up while they are read', async () => {
  const fields = Array.from({ length: 3000 }, (_, at) => `string f${at}=${at + 1};`).join('')
  const schema = { schemaType: 'Protobuf', schemaText: `syntax="proto3";message A{${fields}}` }
  readSchemaText(schema)
  const alone = processorTime(() => readSchemaText(schema))
  setLimit('schemaTime', longEnough)
  const reader = createSchemaReader()
  onTestFinished(reader.close)
  const longest = await longestTurn(async () =>
    expect(await reader.read({ caller: 'ann', signal: new AbortController().signal }, schema)).toMatchObject({
      fields: [{ name: 'A' }],
    }),
  )
  expect(longest).toBeLessThan(alone / 2)
})
