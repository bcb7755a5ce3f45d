import { describe, expect, it } from 'vitest'
import { didYouMean, unknownNames, unknownWord } from '../../src/shared/nearest.ts'

describe('A misspelt word', () => {
  const many = ['TINYINT', 'INT', 'BIGINT', 'VARCHAR', 'CHAR', ...Array.from({ length: 10 }, (_, n) => `TYPE_${n}`)]

  it('is answered with the words that it may have been meant to be, the most alike first', () => {
    expect(didYouMean('INTT', many)).toBe('; did you mean INT?')
    expect(didYouMean('varchr', many)).toBe('; did you mean VARCHAR?')
    expect(didYouMean('table', ['tables', 'topics'], '/v1/')).toBe('; did you mean /v1/tables?')
    expect(didYouMean('zzz', many)).toBe('')
  })

  it('is answered with all words where none is like it, or where they are few', () => {
    expect(unknownWord('integer', many)).toBe('is not one of the 15 allowed values; did you mean INT?')
    expect(unknownWord('zzz', many)).toBe(`must be one of ${many.join(', ')}`)
    expect(unknownWord('Actve', ['Draft', 'Active'])).toBe('must be one of Draft, Active; did you mean Active?')
    expect(unknownWord(3, ['Draft', 'Active'])).toBe('must be one of Draft, Active')
  })

  it('in a list of names is answered for each of them', () => {
    expect(unknownNames(['owners', 'tgs', 'x'], ['owners', 'tags'])).toBe(
      'tgs must be one of owners, tags; did you mean tags?; x must be one of owners, tags',
    )
    expect(unknownNames(['owners'], ['owners', 'tags'])).toBeUndefined()
  })

  it('in a long list of names is answered for the first ten, each once, and the others are counted', () => {
    const unknown = Array.from({ length: 30_000 }, (_, at) => `x${at}`)
    const told = unknownNames([...unknown, ...unknown], ['owners', 'tags'])
    expect(told?.split('; ')).toHaveLength(11)
    expect(told).toMatch(/x9 must be one of owners, tags; 29990 more are unknown$/)
  })
})
