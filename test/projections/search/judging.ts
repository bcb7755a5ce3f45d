import { judgementsText } from './judgements.ts'

/** A query with what it should find. */
export interface Judged {
  readonly q: string
  /** How well an FQN serves it: 3, 2, 1 or 0. */
  readonly gradeOf: (fullyQualifiedName: string) => number
}

const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[^\w\s*-]/g, String.raw`\$&`).replaceAll('*', '.*')}$`)

const readBlock = (block: string): Judged => {
  const [q = '', ...lines] = block.split('\n')
  const grades = lines.map((line) => ({ grade: Number(line[0]), patterns: line.slice(2).split(' | ').map(patternOf) }))
  const gradeOf = (fqn: string): number =>
    grades.find(({ patterns }) => patterns.some((pattern) => pattern.test(fqn)))?.grade ?? 0
  return { q, gradeOf }
}

export const judged: readonly Judged[] = judgementsText.trim().split('\n\n').map(readBlock)

/** Hits that are looked at. */
const depth = 10

const gain = (grades: readonly number[]): number =>
  grades.slice(0, depth).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0)

/**
 * Normalised discounted cumulative gain of the first ten hits: 1 when no order of all that there is would be better.
 * @param found FQNs, best first
 * @param all FQNs of everything that could have been found
 */
export const ndcg = ({ gradeOf }: Judged, found: readonly string[], all: readonly string[]): number =>
  gain(found.map(gradeOf)) / gain(all.map(gradeOf).toSorted((a, b) => b - a))
