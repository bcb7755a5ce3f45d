import { analyse } from 'scslre'
import { expect, it } from 'vitest'
import { sources } from './support/sources.ts'

const comment = /^\s*(?:\/\*|\*|\/\/).*$/gm

/** A literal where an expression can begin, so that no division is taken for one. */
const literal =
  /(?<=(?:[(,=:[!&|?{;]|=>|return)\s*|^\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?!\w)/gm

const literals = [...sources].flatMap(([file, text]) =>
  [...text.replaceAll(comment, '').matchAll(literal)].map(([, source = '', flags = '']) => ({ file, source, flags })),
)

it('no regular expression takes more than linear time, whatever text a caller sends', () => {
  expect(literals.length).toBeGreaterThan(250)
  const slow = literals.flatMap(({ file, source, flags }) =>
    analyse({ source, flags }, { reportTypes: { Move: true } }).reports.map(
      ({ type, character }) => `${file}: /${source}/${flags} (${type}) with many ${character.literal.source}`,
    ),
  )
  expect(slow).toEqual([])
})
