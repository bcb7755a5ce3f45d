import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DomainError, invalid } from '../../../src/commands/errors.ts'
import {
  idText,
  instantText,
  listKey,
  makeReadQuery,
  namesText,
  numberKey,
  readPage,
  readParameter,
  searchKey,
} from '../../../src/api/http/queryParameters.ts'
import { readMoment } from '../../../src/api/entities/reads/moment.ts'
import { listFilters } from '../../../src/api/entities/parameters.ts'
import { eventFilters } from '../../../src/api/feed/feedQuery.ts'
import { kinds } from '../../../src/kinds/registry/kinds.ts'
import { queryFlag, queryParameter, type Parameter } from '../../../src/api/http/route.ts'
import { inQuery } from '../support.ts'

it('an instant whose + arrives as a blank, since it was not encoded, is the one that was meant', () => {
  const time = Date.UTC(2026, 11, 1, 1, 20)
  for (const text of ['2026-12-01T03:20:00+02:00', '2026-12-01T03:20:00 02:00', '2026-12-01T03:20 0200']) {
    expect(instantText.parse(text)).toBe(time)
    expect(readMoment(text)).toEqual({ time })
  }
  expect(instantText.safeParse('2026-12-01 02:00').success).toBe(false)
})

const view = { operation: 'view' } as const
const read = makeReadQuery({ permission: view, ...inQuery('database', 'databaseSchema', 'limit', 'asOf') })

const said = (query: string): string[] => {
  try {
    read(query)
    return []
  } catch (error) {
    return (error as DomainError).problems.map(({ path, message }) => `${path}: ${message}`)
  }
}

describe('a cursor', () => {
  const requestOf = (query: Readonly<Record<string, string>>, route = 'list_table') => ({
    route,
    params: {},
    query: new Map(Object.entries(query)),
  })
  const forged = (text: string): string => {
    const payload = Buffer.from(text).toString('base64url')
    const checksum = hash('sha256', `${JSON.stringify(['list_table', {}, []])}\n${payload}`, 'base64url').slice(0, 12)
    return `${payload}.${checksum}`
  }
  const key = { fullyQualifiedName: 'a.b', id: 'x', position: 12n }
  const cursor = readPage(requestOf({ owner: 'ann', tag: 'x' }), listKey).cursorAt(key)

  it('gives back what it was made of', () => {
    const after = readPage(requestOf({}), listKey).cursorAt({ fullyQualifiedName: 'a.b', id: 'x' })
    expect(readPage(requestOf({ after }), listKey).after).toEqual({ fullyQualifiedName: 'a.b', id: 'x' })
    expect(readPage(requestOf({ before: forged('"-12"') }), numberKey).before).toBe(-12n)
  })

  it('holds of its key only what that is made of', () => {
    const row = { fullyQualifiedName: 'a.b', id: 'x', shownAlways: 'more' }
    const [payload = ''] = readPage(requestOf({}), listKey).cursorAt(row).split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({ fullyQualifiedName: 'a.b', id: 'x' })
  })

  it.each([{ from: 7 }, { from: 0, after: ['a.b'] }, { from: 0, after: [1700, 'x'] }])(
    'holds a place of a search, %j',
    (place) => {
      const after = readPage(requestOf({}), searchKey).cursorAt(place)
      expect(readPage(requestOf({ after }), searchKey).after).toEqual(place)
    },
  )

  it.each(['{"from":-1}', '{"from":1000000}', '{"after":["a"]}', '["a"]'])(
    'of a search that holds %s is refused',
    (text) => {
      expect(() => readPage(requestOf({ after: forged(text) }), searchKey)).toThrow(DomainError)
    },
  )

  it('goes with the same filters in any order, and with other parameters that change only what is shown', () => {
    expect(
      readPage(requestOf({ after: cursor, tag: 'x', limit: '7', fields: '*', owner: 'ann' }), listKey),
    ).toMatchObject({ after: key })
  })

  it.each([
    ['another filter', requestOf({ after: cursor, owner: 'bob', tag: 'x' })],
    ['fewer filters', requestOf({ after: cursor, owner: 'ann' })],
    ['another list', requestOf({ after: cursor, owner: 'ann', tag: 'x' }, 'list_topic')],
  ])('is refused with %s', (_, request) => {
    expect(() => readPage(request, listKey)).toThrow(DomainError)
  })

  it.each(['', '.', cursor.slice(1), cursor.slice(0, -1), `${cursor}.`, cursor.split('.')[0] as string])(
    'that is empty or was cut or added to is refused: %j',
    (after) => {
      expect(() => readPage(requestOf({ after, owner: 'ann', tag: 'x' }), listKey)).toThrow(DomainError)
    },
  )

  it.each([
    'no JSON',
    'null',
    '{}',
    '["a","b",null]',
    '{"fullyQualifiedName":"a"}',
    '{"fullyQualifiedName":"a","id":1}',
    '{"fullyQualifiedName":"a","id":"b","position":"1.5"}',
    '{"fullyQualifiedName":"a","id":"b","position":1}',
  ])('that holds %s is refused, though its checksum is right', (text) => {
    expect(() => readPage(requestOf({ after: forged(text) }), listKey)).toThrow(DomainError)
  })

  it.each(['"x"', '1', '["1"]', '"1.5"', `"${2n ** 63n}"`])(
    'of a list of numbers that holds %s is refused, though its checksum is right',
    (text) => {
      expect(() => readPage(requestOf({ after: forged(text) }), numberKey)).toThrow(DomainError)
    },
  )
})

describe('the query of a request', () => {
  it('gives the parameters of its route, decoded', () => {
    expect([...read('database=a%20b&limit=')]).toEqual([
      ['database', 'a b'],
      ['limit', ''],
    ])
    expect([...read('')]).toEqual([])
  })

  it.each([
    ['databse=x', '?databse: is not a parameter of this operation; did you mean database?'],
    ['asof=1', '?asof: is not a parameter of this operation; did you mean asOf?'],
    ['data=x', '?data: is not a parameter of this operation; did you mean database or databaseSchema?'],
    ['zzz=x', '?zzz: is not a parameter of this operation; known are database, databaseSchema, limit, asOf'],
    ['limit=1&limit=1', '?limit: is given more than once'],
    ['limit=%00', '?limit: must not hold NUL'],
    ['database=%zz', '?: holds a percent escape that is not UTF-8'],
    ['database=%FF', '?: holds a percent escape that is not UTF-8'],
    ['%0d%0ax=1', '?%0D%0Ax: is not a parameter of this operation; known are database, databaseSchema, limit, asOf'],
  ])('%s is refused', (query, message) => {
    expect(said(query)).toEqual([message])
  })

  it('names everything wrong, up to twenty things, each in few letters', () => {
    expect(said('a=1&b=2&limit=%00')).toHaveLength(3)
    const many = said(Array.from({ length: 3000 }, (_, n) => `${'x'.repeat(200)}${n}=1`).join('&'))
    expect(many).toHaveLength(20)
    expect(Math.max(...many.map((line) => line.length))).toBeLessThan(250)
  })

  it('is as its parameters declare it, or says everything that is not', () => {
    const parameters = [
      queryParameter('limit', 'Page size', z.int().min(1).max(50).default(10)),
      queryParameter('deleted', 'Only the deleted', z.boolean().default(false)),
      queryParameter('sort', 'Order', z.enum(['name', 'updatedAt'])),
      queryParameter('id', 'Of an entity', idText),
      queryParameter('of', 'What', z.string(), true),
    ]
    const reading = makeReadQuery({ permission: view, parameters })
    expect(() => reading('limit=0&deleted=maybe&sort=size&id=x')).toThrow(
      invalid([
        { path: '?limit', message: 'must be at least 1' },
        { path: '?deleted', message: 'must be true or false' },
        { path: '?sort', message: 'must be one of name, updatedAt' },
        { path: '?id', message: 'must be a UUID' },
        { path: '?of', message: 'is required' },
      ]),
    )
    const query = reading('deleted=true&sort=name&of=x&id=ffffffff-1111-1111-1111-111111111111')
    const values = parameters.slice(0, 3).map((each: Parameter) => readParameter(query, each))
    expect(values).toEqual([10, true, 'name'])
  })

  it.each([
    ['-1', 'must be at least 0'],
    ['51', 'must be at most 50'],
    ['1.5', 'must be a whole number'],
    ['-0', 'must be a number'],
    ['x', 'must be a number'],
  ])('a number is not %s', (text, message) => {
    const parameters = [queryParameter('limit', 'Page size', z.int().min(0).max(50))]
    const reading = makeReadQuery({ permission: view, parameters })
    expect(() => reading(`limit=${text}`)).toThrow(invalid([{ path: '?limit', message }]))
  })

  it.each([
    ['', 'must be true or false: give a value or leave it out'],
    ['=', 'must be true or false: give a value or leave it out'],
    ['=1', 'must be true or false'],
    ['=TRUE', 'must be true or false'],
  ])('a flag is not true as ?hardDelete%s', (sent, message) => {
    const parameters = [queryFlag('hardDelete', 'Delete for good')]
    const reading = makeReadQuery({ permission: view, parameters })
    expect(() => reading(`hardDelete${sent}`)).toThrow(invalid([{ path: '?hardDelete', message }]))
  })

  it('has each name of a list once, and at most a hundred', () => {
    const names = queryParameter('names', 'Names', namesText())
    const reading = makeReadQuery({ permission: view, parameters: [names] })
    expect(readParameter(reading(`names=${'columns,%20columns%20,,a,'.repeat(1000)}`), names)).toEqual(['columns', 'a'])
    const many = Array.from({ length: 101 }, (_, at) => `x${at}`)
    expect(readParameter(reading(`names=${many.slice(1)}`), names)).toHaveLength(100)
    expect(() => reading(`names=${many}`)).toThrow(
      invalid([{ path: '?names', message: 'must have at most 100 names and has 101' }]),
    )
  })

  it('the query of an open route may hold more', () => {
    expect(makeReadQuery({ permission: 'open' })('probe=1&probe=2&code=3').get('code')).toBe('3')
  })
})

describe('a parameter that selects', () => {
  const readEvents = makeReadQuery({ permission: view, parameters: eventFilters })

  it.each(eventFilters.map(({ name }) => name))('%s, sent empty, is refused: it would select everything', (name) => {
    for (const empty of ['', ...(['kind', 'type', 'domain', 'changed'].includes(name) ? [',', ' , '] : [])])
      expect(() => readEvents(`${name}=${encodeURIComponent(empty)}`)).toThrow(
        empty === '' ? /: give a value or leave it out/ : /must have a name/,
      )
  })

  it('of a list, sent empty, is refused as well', () => {
    for (const definition of kinds)
      for (const { name } of listFilters(definition))
        expect(
          () => makeReadQuery({ permission: view, parameters: listFilters(definition) })(`${name}=`),
          `${definition.name} ${name}`,
        ).toThrow(/: give a value or leave it out/)
  })

  it('what is shown may be nothing', () =>
    expect(
      makeReadQuery({ permission: view, parameters: [queryParameter('fields', '', namesText())] })('fields='),
    ).toEqual(new Map([['fields', '']])))
})
