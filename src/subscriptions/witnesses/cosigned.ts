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

/** Whose a line is: a witness that is asked again signs with another time, and has one line nevertheless. */
const signerOf = (line: string): string => {
  const [, name = '', signature = ''] = line.split(' ')
  return `${name} ${Buffer.from(signature, 'base64').toString('hex', 0, 4)}`
}

export const openCosigned = (path: string): Cosigned => {
  const kept = (): string[] => notesIn(readSecret(path) ?? '')
  return {
    add: (note, lines) => {
      const before = kept()
      const known = before.find((each) => textOf(each) === textOf(note)) ?? note
      const text = `${textOf(known)}\n`
      const all = [...known.slice(text.length).trimEnd().split('\n'), ...lines]
      const cosigned = `${text}${[...new Map(all.map((line) => [signerOf(line), line])).values()].join('\n')}\n`
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
