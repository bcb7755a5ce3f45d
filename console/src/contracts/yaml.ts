/** A piece of a line, and what it is. */
export interface Piece {
  readonly look: 'key' | 'text' | 'number' | 'note' | 'sign' | ''
  readonly text: string
}

const patterns: readonly (readonly [Piece['look'], RegExp])[] = [
  ['note', /^(?:\s|^)#.*/],
  ['text', /^"(?:[^"\\]|\\.)*"?|^'(?:[^']|'')*'?/],
  ['key', /^[\w.$/-]+(?=\s*:(?:\s|$))/],
  ['number', /^(?:true|false|null|-?\d+(?:\.\d+)?)(?=\s*(?:$|[,\]}#]))/],
  ['sign', /^(?:- |-$|[:[\]{},|>&*!])/],
]

/** Cuts a line of YAML into pieces for colouring; a mistake colours wrongly and does no other harm. */
export const piecesOf = (line: string): Piece[] => {
  const pieces: Piece[] = []
  let plain = ''
  for (let at = 0; at < line.length;) {
    const rest = line.slice(at)
    const begins = at === 0 || /[\s:[{,]$/.test(line.slice(0, at))
    const found = patterns.flatMap(([look, pattern]) => {
      const [text = ''] = pattern.exec(rest) ?? []
      return text !== '' && (begins || look === 'sign') ? [{ look, text }] : []
    })[0]
    if (found === undefined) {
      plain += line[at]
      at += 1
      continue
    }
    if (plain !== '') pieces.push({ look: '', text: plain })
    plain = ''
    pieces.push(found)
    at += found.text.length
  }
  return plain === '' ? pieces : [...pieces, { look: '', text: plain }]
}
