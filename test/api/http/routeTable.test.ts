import { describe, expect, it } from 'vitest'
import { makeRouteTable } from '../../../src/api/http/routeTable.ts'

const table = () => {
  const made = makeRouteTable<string>()
  for (const [method, path] of [
    ['GET', '/apples'],
    ['POST', '/apples'],
    ['GET', '/apples/{id}'],
    ['PATCH', '/apples/{id}'],
    ['PUT', '/apples/restore'],
    ['GET', '/apples/name/{fqn}'],
    ['DELETE', '/apples/name/{fqn}'],
    ['GET', '/apples/name/{fqn}/text'],
    ['GET', '/apples/name/{fqn}/text/plain'],
    ['GET', '/apples/{id}/versions'],
    ['GET', '/apples/{id}/versions/{version}'],
    ['DELETE', '/apples/{id}/followers/{userId}'],
    ['POST', '/apples/odcs/parse/yaml'],
  ] as const) {
    made.add(method, path, `${method} ${path}`)
  }
  return made
}

const found = (method: string, path: string) => {
  const match = table().find(method, path)
  if (match.found === 'route') return [match.value, match.params]
  return match.found === 'path' ? `allow ${match.allow}` : undefined
}

describe('the route table', () => {
  it.each([
    ['GET', '/apples', 'GET /apples', {}],
    ['GET', '/apples/', 'GET /apples', {}],
    ['HEAD', '/apples', 'GET /apples', {}],
    ['GET', '/apples/7', 'GET /apples/{id}', { id: '7' }],
    ['GET', '/apples/7/versions', 'GET /apples/{id}/versions', { id: '7' }],
    ['GET', '/apples/7/versions/0.2', 'GET /apples/{id}/versions/{version}', { id: '7', version: '0.2' }],
    ['DELETE', '/apples/7/followers/8', 'DELETE /apples/{id}/followers/{userId}', { id: '7', userId: '8' }],
    ['PUT', '/apples/restore', 'PUT /apples/restore', {}],
    ['GET', '/apples/restore/versions', 'GET /apples/{id}/versions', { id: 'restore' }],
    ['GET', '/apples/name', 'GET /apples/{id}', { id: 'name' }],
    ['GET', '/%61pples/7', 'GET /apples/{id}', { id: '7' }],
  ])('%s %s is %s', (method, path, value, params) => {
    expect(found(method, path)).toEqual([value, params])
  })

  it.each([
    ['/apples/name/a.b', 'GET /apples/name/{fqn}', 'a.b'],
    ['/apples/name/a%2Fb', 'GET /apples/name/{fqn}', 'a/b'],
    ['/apples/name/a/b', 'GET /apples/name/{fqn}', 'a/b'],
    ['/apples/name/a/b/text', 'GET /apples/name/{fqn}/text', 'a/b'],
    ['/apples/name/a%2Ftext', 'GET /apples/name/{fqn}', 'a/text'],
    ['/apples/name/text', 'GET /apples/name/{fqn}', 'text'],
    ['/apples/name/text/text', 'GET /apples/name/{fqn}/text', 'text'],
    ['/apples/name/a/text/plain', 'GET /apples/name/{fqn}/text/plain', 'a'],
    ['/apples/name/versions', 'GET /apples/name/{fqn}', 'versions'],
    ['/apples/name/%22a.b%22.%C3%A9%20%2B+', 'GET /apples/name/{fqn}', '"a.b".é ++'],
    ['/apples/name/100%25', 'GET /apples/name/{fqn}', '100%'],
  ])('%s asks %s for %s', (path, value, fqn) => {
    expect(found('GET', path)).toEqual([value, { fqn }])
  })

  it.each([
    '/',
    '',
    '/pears',
    '/apples/7/other',
    '//apples',
    '/apples//versions',
    '/apples/7/versions/0.2/x',
    '*',
    'http://x/apples',
  ])('has nothing at %j', (path) => {
    expect(found('GET', path)).toBeUndefined()
  })

  it('says which methods a path has', () => {
    expect(found('PUT', '/apples')).toBe('allow GET, HEAD, POST')
    expect(found('GET', '/apples/restore')).toBe('allow PUT')
    expect(found('PATCH', '/apples/name/a/b')).toBe('allow GET, HEAD, DELETE')
    expect(found('HEAD', '/apples/odcs/parse/yaml')).toBe('allow POST')
  })

  it.each(['/apples/%', '/apples/%zz', '/apples/%ff', '/apples/%C3', '/apples/%00', '/apples/name/a%00b', '/%E0%A4%A'])(
    'refuses the path %s',
    (path) => {
      expect(() => found('GET', path)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
    },
  )

  it('takes every method and path once, whatever the parameters are called', () => {
    expect(() => table().add('GET', '/apples', '')).toThrow('GET /apples is mounted twice')
    expect(() => table().add('GET', '/apples/{key}', '')).toThrow('mounted twice (as /apples/{id})')
    expect(() => table().add('GET', '/apples/name/{fqn}/text', '')).toThrow('mounted twice')
    expect(() => table().add('PUT', '/apples/{id}', '')).not.toThrow()
  })
})

it.each([
  ['/apple/7', '; did you mean /apples?'],
  ['/apples/7/version', '; did you mean /apples/7/versions?'],
])('the suggestion for %s is an address', (path, hint) =>
  expect(table().find('GET', path)).toEqual({ found: 'nothing', hint }),
)
