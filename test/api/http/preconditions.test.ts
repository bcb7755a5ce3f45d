import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  meetsCondition,
  readCondition,
  refuseUnknownConditions,
  revalidated,
  withValidator,
} from '../../../src/api/http/preconditions.ts'

describe('If-Match', () => {
  it.each([
    [undefined, undefined],
    ['*', '*'],
    [' * ', '*'],
    ['"3"', ['3']],
    ['"3","4" , "5"', ['3', '4', '5']],
    [', "3" ,,\t, "4", ', ['3', '4']],
    ['W/"3", "4"', ['3', '4']],
    ['"abc"', []],
    ['"03"', []],
    ['""', []],
    ['"9223372036854775807"', ['9223372036854775807']],
    ['"3-7qZ_x0-", "4-"', ['3', '4']],
    ['"3-7qZ_x0--gzip"', ['3']],
    ['W/"3-7qZ"', ['3']],
    ['"3+7qZ"', []],
  ])('%j names %j', (header, condition) => {
    const read = readCondition('If-Match', header === undefined ? {} : { 'if-match': header })
    expect(Array.isArray(read) ? read.map(String) : read).toEqual(condition)
  })

  it.each([
    '',
    ' ',
    ',',
    ' , ,',
    '3',
    '3,',
    '"3',
    '3"',
    '"3" "4"',
    'w/"3"',
    '*, "3"',
    '"3"; "4"',
    Array(101).fill('"1"').join(','),
  ])('refuses %j', (header) => {
    expect(() => readCondition('If-Match', { 'if-match': header })).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST' }),
    )
  })

  it('matches what exists at a named revision', () => {
    expect(meetsCondition([3n, 4n], 4n)).toBe(true)
    expect(meetsCondition([3n], 4n)).toBe(false)
    expect(meetsCondition('*', 4n)).toBe(true)
    expect(meetsCondition('*', undefined)).toBe(false)
    expect(meetsCondition([], 0n)).toBe(false)
  })
})

it.each([
  [undefined, undefined],
  [' * ', '*'],
  ['"3-7qZ", W/"4", "abc"', ['3', '4']],
])('If-None-Match %j on a write names %j', (header, condition) => {
  const read = readCondition('If-None-Match', header === undefined ? {} : { 'if-none-match': header })
  expect(Array.isArray(read) ? read.map(String) : read).toEqual(condition)
})

describe('a condition that an operation does not declare', () => {
  const declared = { name: 'If-Match', in: 'header', description: '', schema: z.string() } as const

  it.each(['if-match', 'if-none-match'])('is refused of a write: %s', (header) => {
    const headers = { [header]: '*' }
    expect(() => refuseUnknownConditions({ method: 'put' }, headers)).toThrow('is not a condition of this operation')
    expect(() => refuseUnknownConditions({ method: 'get' }, headers)).not.toThrow()
  })

  it('is no matter where it is declared or not sent', () => {
    const route = { method: 'put', parameters: [declared] } as const
    expect(() => refuseUnknownConditions(route, { 'if-match': '"1"' })).not.toThrow()
    expect(() => refuseUnknownConditions(route, {})).not.toThrow()
    expect(() => refuseUnknownConditions(route, { 'if-none-match': '*' })).toThrow(
      'is not a condition of this operation',
    )
  })
})

describe('an answer that shows a revision', () => {
  const answer = { status: 200, revision: 3n, body: '{"é":1}' }
  const asked = (method: string, condition?: string) =>
    revalidated(
      { method, headers: condition === undefined ? {} : { 'if-none-match': condition } },
      withValidator(answer),
    )
  const tag = asked('GET').headers?.['ETag'] as string

  it('has a strong tag of the revision and what is sent', () => {
    expect(tag).toMatch(/^"3-[\w-]{22}"$/)
    const { body, ...others } = answer
    for (const other of [{ body: `${body} ` }, { body, revision: 4n }])
      expect(withValidator({ ...others, ...other }).headers?.['ETag']).not.toBe(tag)
    expect(withValidator({ ...others, body: Buffer.from(body) }).headers?.['ETag']).toBe(tag)
  })

  it('is 304 to a reader who has just that, compared weakly', () => {
    for (const condition of [tag, `W/${tag}`, `"1", ${tag}`, '*'])
      expect(asked('GET', condition)).toEqual({ status: 304, headers: { ETag: tag } })
    expect(asked('HEAD', tag).status).toBe(304)
    for (const condition of ['"3"', '"3-"', undefined]) expect(asked('GET', condition).status).toBe(200)
  })

  it('keeps its other headers as 304, also when it was given its tag by its route', () => {
    const headers = { ETag: '"own"', 'Cache-Control': 'no-store' }
    const asked = { method: 'GET', headers: { 'if-none-match': '"own"' } }
    expect(revalidated(asked, { status: 200, body: '{}', headers })).toEqual({ status: 304, headers })
  })

  it('is never 304 to a writer', () => {
    expect(asked('PATCH', tag)).toMatchObject({ status: 200, body: answer.body, headers: { ETag: tag } })
  })

  it('without a revision it has none', () => {
    expect(
      revalidated({ method: 'GET', headers: { 'if-none-match': '*' } }, withValidator({ status: 200, body: '[]' })),
    ).toEqual({
      status: 200,
      body: '[]',
    })
  })
})
