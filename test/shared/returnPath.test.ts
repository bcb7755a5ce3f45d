import { expect, it } from 'vitest'
import { returnPath } from '../../src/shared/returnPath.ts'

it.each([
  '/',
  '/table/a.b?asOf=0.1',
  '/search?q=http://evil.example#top',
  '/table/%2F%2Fevil',
  '/@evil.example',
  '/:80',
])('comes back to %s', (path) => {
  expect(returnPath(path)).toBe(path)
  expect(new URL(returnPath(path), 'https://catalog.example/').host).toBe('catalog.example')
})

it.each([
  undefined,
  7,
  '',
  'table',
  'http://evil.example',
  'HTTP:/evil.example',
  'javascript:alert(1)',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '\n//evil.example',
  '/\u0000/evil.example',
  '/..//evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e%2e//evil.example',
  '%2F%2Fevil.example',
  ' //evil.example',
])('never leads to %j', (path) => {
  expect(returnPath(path)).toBe('/')
})

it('writes what is not ASCII as a browser does', () => {
  expect(returnPath('/table/größe')).toBe('/table/gr%C3%B6%C3%9Fe')
})
