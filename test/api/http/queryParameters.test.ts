import { describe, expect, it } from 'vitest'
import { DomainError } from '../../../src/commands/errors.ts'
import { makeReadQuery } from '../../../src/api/http/queryParameters.ts'
import { inQuery } from '../support.ts'

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

describe('the query of a request', () => {
  it('gives the parameters of its route, decoded', () => {
    expect([...read('database=a%20b&limit=')]).toEqual([
      ['database', 'a b'],
      ['limit', ''],
    ])
    expect([...read('')]).toEqual([])
  })

  it.each([
    ['databse=x', '?databse: is no parameter of this operation; did you mean database?'],
    ['asof=1', '?asof: is no parameter of this operation; did you mean asOf?'],
    ['data=x', '?data: is no parameter of this operation; did you mean database or databaseSchema?'],
    ['zzz=x', '?zzz: is no parameter of this operation; known are database, databaseSchema, limit, asOf'],
    ['limit=1&limit=1', '?limit: is given more than once'],
    ['limit=%00', '?limit: must not hold NUL'],
    ['%0d%0ax=1', '?%0D%0Ax: is no parameter of this operation; known are database, databaseSchema, limit, asOf'],
  ])('%s is refused', (query, message) => {
    expect(said(query)).toEqual([message])
  })

  it('names everything wrong, up to twenty things, each in few letters', () => {
    expect(said('a=1&b=2&limit=%00')).toHaveLength(3)
    const many = said(Array.from({ length: 3000 }, (_, n) => `${'x'.repeat(200)}${n}=1`).join('&'))
    expect(many).toHaveLength(20)
    expect(Math.max(...many.map((line) => line.length))).toBeLessThan(250)
  })

  it('the query of an open route may hold more', () => {
    expect(makeReadQuery({ permission: 'open' })('probe=1&probe=2&code=3').get('code')).toBe('3')
  })
})
