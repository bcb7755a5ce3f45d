import { describe, expect, it } from 'vitest'
import { problemOf } from '../../../src/api/http/problemDetails.ts'
import { invalid } from '../../../src/commands/errors.ts'
import { limits } from '../../../src/shared/limits.ts'

const problems = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `/tags/${index}`, message: 'does not exist' }))

describe('The problems of an answer', () => {
  it('are all named up to a hundred', () => {
    expect(problemOf(invalid(problems(100))).problem.errors).toEqual(problems(100))
  })

  it('are the first hundred and the count of the rest', () => {
    const { message, errors } = problemOf(invalid(problems(2_900))).problem
    expect(message).toBe('/tags/0: does not exist (and 2899 more)')
    expect(errors).toHaveLength(101)
    expect(errors.at(-1)).toEqual({ path: '', message: 'and 2800 more problems, which are not listed' })
  })
})

it('A problem shows the beginning of what is said of it, and of where', () => {
  const long = 'x'.repeat(100_000)
  const { message, detail, errors } = problemOf(invalid([{ path: `/${long}`, message: long }])).problem
  expect([message, detail, errors[0]?.path, errors[0]?.message].map((text) => text?.length)).toEqual([
    300,
    300,
    limits.problemText.value,
    limits.problemText.value,
  ])
})

it('An error keeps the problems that are named, and how many there are', () => {
  const { problems: kept, unlisted } = invalid(problems(90_000))
  expect([kept.length, unlisted]).toEqual([100, 89_900])
})
