import type { Share } from './queries.ts'

/** In whole percent: 100 only where nothing is missing, and 0 only where there is nothing. */
export const percentOf = ({ covered, of }: Share): number => {
  if (covered === 0) return 0
  return covered === of ? 100 : Math.min(99, Math.max(1, Math.round((100 * covered) / of)))
}

/** "83%"; a dash where there is nothing to count. */
export const percent = (share: Share): string => (share.of === 0 ? '–' : `${percentOf(share)}%`)
