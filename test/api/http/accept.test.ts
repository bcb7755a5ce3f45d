import { describe, expect, it } from 'vitest'
import { makeAcceptCheck } from '../../../src/api/http/routeTable.ts'

describe('Accept', () => {
  const json = makeAcceptCheck(['application/json'])

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/*',
    'APPLICATION/JSON',
    'text/html, */*;q=0.1',
    'application/json;charset=utf-8',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'nonsense',
    'application/json;q=0.001',
    '*/*;q=0, application/json',
  ])('%j admits JSON', (header) => {
    expect(json(header)).toBe(true)
  })

  it.each([
    'text/html',
    'application/yaml',
    'text/*',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;q=0, */*',
    'application/xml;q=0.9',
  ])('%j excludes JSON', (header) => {
    expect(json(header)).toBe(false)
    expect(json(header)).toBe(false)
  })

  it.each(['application/x-yaml', 'text/yaml', 'text/x-yaml'])('%s admits YAML, and nothing else', (header) => {
    expect(makeAcceptCheck(['application/yaml'])(header)).toBe(true)
    expect(json(header)).toBe(false)
  })

  it('is met by any of the types', () => {
    expect(makeAcceptCheck(['application/json', 'application/yaml'])('application/yaml')).toBe(true)
    expect(makeAcceptCheck([])('text/html')).toBe(true)
  })
})
