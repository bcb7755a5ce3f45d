import { describe, expect, it, onTestFinished } from 'vitest'
import { createSchemaReader, readSchemaText } from '../../src/kinds/schemaText/readSchemaText.ts'
import { setLimit } from '../support/limits.ts'
import { longEnough } from '../support/patience.ts'

const ann = { caller: 'ann', signal: new AbortController().signal }

/** @param timeout in milliseconds */
const readerWith = (timeout: number) => {
  setLimit('schemaTime', timeout)
  const reader = createSchemaReader()
  onTestFinished(reader.close)
  return reader
}

const message = (fields: number) => ({
  schemaType: 'Protobuf',
  schemaText: `syntax="proto3";message A{${Array.from({ length: fields }, (_, at) => `string f${at}=${at + 1};`).join('')}}`,
})

describe('schema texts', () => {
  it('are read alike here and in a thread', async () => {
    const reader = readerWith(longEnough)
    const schemas = [message(3), { schemaType: 'JSON', schemaText: '{' }, { schemaType: 'Other', schemaText: 'x' }]
    for (const schema of schemas) {
      const long = { ...schema, schemaText: `${schema.schemaText}${' '.repeat(10_000)}` }
      expect(await reader.read(ann, long)).toEqual(readSchemaText(long))
      expect(await reader.read(ann, schema)).toEqual(readSchemaText(schema))
    }
  })

  it('schema texts that take too long are a problem that says what to do', async () => {
    expect(await readerWith(1).read(ann, message(20_000))).toEqual({
      problem: 'takes too long to be read; with the schemaType Other the text is kept without its fields',
    })
  })
})
