import { readSecret, replaceSecret } from '../../stores/sqlite/dataFolder.ts'
import { notesIn } from '../../transparency/checkpoint.ts'
import { signatureLines } from '../../transparency/note.ts'

/** The checkpoints that witnesses have cosigned lately, in a file. */
export interface Cosigned {
  /** Keeps lines with verified cosignatures of a note. */
  add(note: string, lines: readonly string[]): void
  /** That which most witnesses have cosigned, the newest of several. */
  best(): string | undefined
}

/** How many are kept: those that a witness has just cosigned may lack the others. */
const mostKept = 5

const textOf = (note: string): string => signatureLines(note).text

export const openCosigned = (path: string): Cosigned => {
  const kept = (): string[] => notesIn(readSecret(path) ?? '')
  return {
    add: (note, lines) => {
      const before = kept()
      const known = before.find((each) => textOf(each) === textOf(note)) ?? note
      const added = lines.filter((line) => !known.includes(line)).map((line) => `${line}\n`)
      const others = before.filter((each) => each !== known)
      replaceSecret(path, [...others, known + added.join('')].slice(-mostKept).join('').trimEnd())
    },
    best: () =>
      kept().reduce<string | undefined>(
        (best, note) =>
          best === undefined || signatureLines(note).signatures.length >= signatureLines(best).signatures.length
            ? note
            : best,
        undefined,
      ),
  }
}
