import { formatVersion } from '../ui/format.ts'

/** What a revert left as it was, or left out. */
export interface LeftByRevert {
  readonly unreadable?: readonly string[] | undefined
  readonly hardDeleted?: readonly string[] | undefined
}

/** What is not as it was in that version, even after a revert to it. */
export const leftWords = ({ unreadable, hardDeleted }: LeftByRevert): string =>
  [
    ...(unreadable ? [`but for ${unreadable.join(', ')}: what was there has been erased`] : []),
    ...(hardDeleted ? [`but for ${hardDeleted.join(', ')}: something named there has been deleted for good`] : []),
  ].join(', ')

/** Says that a revert was done, and what is still not as it was in that version. */
export const revertedMessage = (version: number, left: LeftByRevert): string =>
  [`It is again what it was in version ${formatVersion(version)}`, leftWords(left)].filter(Boolean).join(', ')
