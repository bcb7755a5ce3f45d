import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createSchemaReader,
  type SchemaReaderOptions,
  readSchemaText,
} from '../../src/kinds/schemaText/readSchemaText.ts'
import { longEnough } from '../support/patience.ts'

const ann = { caller: 'ann', signal: new AbortController().signal }

const readerWith = (options: SchemaReaderOptions = {}) => {
  const reader = createSchemaReader(options)
  onTestFinished(reader.close)
  return reader
}

const message = (fields: number) => ({
  schemaType: 'Protobuf',
  schemaText: `syntax="proto3";message A{${Array.from({ length: fields }, (_, at) => `string f${at}=${at + 1};`).join('')}}`,
})

describe('schema texts', () => {
  it('are read alike here and in a thread', async () => {
    const threaded = readerWith({ threshold: 0, timeout: longEnough })
    for (const schema of [
      message(3),
      { schemaType: 'JSON', schemaText: '{' },
      { schemaType: 'Other', schemaText: 'x' },
    ])
      expect(await threaded.read(ann, schema)).toEqual(readSchemaText(schema))
  })

  it('schema texts that take too long are a problem that says what to do', async () => {
    expect(await readerWith({ threshold: 0, timeout: 1 }).read(ann, message(20_000))).toEqual({
      problem: 'takes too long to be read; with the schemaType Other the text is kept without its fields',
    })
  })
})
