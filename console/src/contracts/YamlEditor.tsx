import { memo, useMemo, useRef, type KeyboardEvent } from 'react'
import type { ProblemDetail } from '../api/types.ts'
import { piecesOf } from './yaml.ts'

/** Something to be said about a line. */
export interface Mark {
  readonly line: number
  readonly look: 'bad' | 'note'
  readonly message: string
}

/** Problems and warnings as marks of lines; what stands nowhere stands at the first. */
export const marksOf = (problems: readonly ProblemDetail[], look: Mark['look']): Mark[] =>
  problems.map(({ line = 1, message, path }) => ({
    line,
    look,
    message: path === '' ? message : `${path}: ${message}`,
  }))

/** Lines beyond this are not coloured, so that typing stays quick. */
const mostColoured = 3_000

const Line = memo(({ text, said, look }: { text: string; said: string; look: Mark['look'] }) => (
  <>
    {piecesOf(text).map(({ look, text: piece }, at) =>
      look === '' ? (
        piece
      ) : (
        <span key={at} className={`yaml-${look}`}>
          {piece}
        </span>
      ),
    )}
    {said !== '' && <span className={`yaml-said ${look}`}>{said}</span>}
    {'\n'}
  </>
))

/** Numbers from one on, each in a line of its own; beyond the coloured lines as one text. */
const restOf = (lines: number): string =>
  Array.from({ length: Math.max(0, lines - mostColoured) }, (_, at) => mostColoured + at + 1).join('\n')

const Gutter = ({ lines, marks }: { lines: number; marks: ReadonlyMap<number, readonly Mark[]> }) => {
  const rest = useMemo(() => restOf(lines), [lines])
  return (
    <div className="yaml-gutter" aria-hidden="true">
      {Array.from({ length: Math.min(lines, mostColoured) }, (_, at) => {
        const here = marks.get(at + 1) ?? []
        const look = here.some((mark) => mark.look === 'bad') ? 'bad' : here.length > 0 ? 'note' : ''
        return (
          <div key={at} className={look} title={here.map(({ message }) => message).join('\n')}>
            {at + 1}
          </div>
        )
      })}
      {rest !== '' && <div>{rest}</div>}
    </div>
  )
}

/** Tab indents by two spaces, as YAML wants it; after Escape it leads on to the next control, as everywhere. */
const useIndent = (onChange: ((text: string) => void) | undefined) => {
  const leaving = useRef(false)
  return (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === 'Escape') leaving.current = true
    if (event.key !== 'Tab' || event.shiftKey || leaving.current || onChange === undefined) {
      if (event.key !== 'Escape') leaving.current = false
      return
    }
    event.preventDefault()
    const { selectionStart, selectionEnd } = event.currentTarget
    event.currentTarget.setRangeText('  ', selectionStart, selectionEnd, 'end')
    onChange(event.currentTarget.value)
  }
}

interface YamlEditorProps {
  readonly label: string
  readonly text: string
  readonly marks: readonly Mark[]
  /** Left out: the text is only read. */
  readonly onChange?: (text: string) => void
}

/** YAML with line numbers, colours, and what is to be said at its lines. */
export const YamlEditor = ({ label, text, marks, onChange }: YamlEditorProps) => {
  const area = useRef<HTMLTextAreaElement>(null)
  const onKeyDown = useIndent(onChange)
  const lines = useMemo(() => text.split('\n'), [text])
  const byLine = useMemo(() => Map.groupBy(marks, ({ line }) => line), [marks])
  const goTo = (line: number): void => {
    const place = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
    area.current?.focus()
    area.current?.setSelectionRange(place, place + (lines[line - 1]?.length ?? 0))
    area.current?.parentElement?.parentElement?.scrollTo({ top: Math.max(0, line - 6) * 20 })
  }
  return (
    <div className="yaml-editor">
      <div className="yaml card flush">
        <Gutter lines={lines.length} marks={byLine} />
        <div className="yaml-body">
          <pre aria-hidden="true">
            {lines.slice(0, mostColoured).map((line, at) => {
              const here = byLine.get(at + 1) ?? []
              const look = here.some((mark) => mark.look === 'bad') ? 'bad' : 'note'
              return <Line key={at} text={line} look={look} said={here.map(({ message }) => message).join(' · ')} />
            })}
            {lines.slice(mostColoured).join('\n')}
          </pre>
          <textarea
            ref={area}
            autoFocus={onChange !== undefined}
            aria-label={label}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            wrap="off"
            readOnly={onChange === undefined}
            value={text}
            onChange={(event) => onChange?.(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </div>
      </div>
      {marks.length > 0 && (
        <ul className="yaml-marks" aria-label="Problems and notes">
          {marks
            .toSorted((a, b) => a.line - b.line)
            .map((mark, at) => (
              <li key={at} className={mark.look}>
                <button type="button" onClick={() => goTo(mark.line)}>
                  <span className="badge">line {mark.line}</span> {mark.message}
                </button>
              </li>
            ))}
        </ul>
      )}
    </div>
  )
}
