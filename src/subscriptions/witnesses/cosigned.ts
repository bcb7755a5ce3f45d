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

/** A note with one line, the newest, of each who signed it: a witness that is asked again signs with another time. */
const withOneLineEach = (note: string): string => {
  const { text, signatures } = signatureLines(note)
  const lines = note.slice(text.length + 1).split('\n')
  const newest = new Map(signatures.map(({ name, id }, at) => [`${name}+${id}`, lines[at] as string]))
  return `${text}\n${[...newest.values()].join('\n')}\n`
}

export const openCosigned = (path: string): Cosigned => {
  const kept = (): string[] => notesIn(readSecret(path) ?? '')
  return {
    add: (note, lines) => {
      const before = kept()
      const known = before.find((each) => textOf(each) === textOf(note)) ?? note
      const cosigned = withOneLineEach(known + lines.map((line) => `${line}\n`).join(''))
      const others = before.filter((each) => each !== known)
      replaceSecret(path, [...others, cosigned].slice(-mostKept).join('').trimEnd())
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
