import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem } from '../api/client.ts'
import { refresh } from '../api/queries.ts'
import { Button } from '../ui/Button.tsx'
import { plural } from '../ui/format.ts'
import { Problems } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import { useDebounced } from '../ui/useDebounced.ts'
import { writeOnto } from '../entity/save.ts'
import { TextDiff } from '../time/Changes.tsx'
import { useDraft } from '../ui/useDraft.ts'
import {
  countOf,
  importDocument,
  isPlaced,
  presentDocument,
  previewQuery,
  validate,
  type ContractDocument,
  type Target,
} from './queries.ts'
import { marksOf, YamlEditor } from './YamlEditor.tsx'

interface EditContractProps {
  readonly target: Target
  /** What the editor begins with: what it is given later is not what was seen. */
  readonly start: ContractDocument
  readonly onDone: () => void
}

const emptiness = [{ path: '', message: 'A contract needs a document.' }]

/** What the asset says to a document, in a sentence. */
const Validated = ({ text, target }: { text: string; target: Target }) => {
  const compare = useMutation({ mutationFn: () => validate(text, target) })
  const { data } = compare
  return (
    <>
      <Button busy={compare.isPending} onClick={() => compare.mutate()}>
        Compare with the asset
      </Button>
      {data && (
        <span className={data.failed > 0 ? 'badge bad' : 'badge good'} role="status">
          {data.failed > 0
            ? `The asset lacks ${data.failedFields.join(', ')}`
            : `The asset has all of ${plural(data.total, 'column')}`}
          {data.typeMismatchFields.length > 0 && `; of another type: ${data.typeMismatchFields.join(', ')}`}
        </span>
      )}
      {compare.error && <span className="badge bad">{compare.error.message}</span>}
    </>
  )
}

/** A contract written as an ODCS document, with its problems at their lines while typing. */
export const EditContract = ({ target, start, onDone }: EditContractProps) => {
  const [seen, setSeen] = useState(start)
  const [text, setText] = useState(start.text)
  const settled = useDebounced(text, 350)
  const { data: preview, error: unreadable } = useQuery(previewQuery(settled))
  const save = useMutation({
    mutationFn: () =>
      writeOnto(seen, ({ etag }) => importDocument(text, target, { mode: 'replace', etag }), {
        load: () => presentDocument(target),
        read: (document) => document.text,
        show: setSeen,
      }),
    onSuccess: async () => {
      await refresh()
      toast('The contract is saved')
      onDone()
    },
  })
  const { fields } = useDraft(save.isPending)
  const type = (typed: string): void => {
    setText(typed)
    if (save.isError) save.reset()
  }
  const refused = save.error instanceof Problem ? save.error : undefined
  const overtaken = refused?.status === 412
  const empty = text.trim() === ''
  const checked = empty || (preview !== undefined && settled === text)
  const problems = empty ? emptiness : (preview?.problems ?? [])
  const warnings = preview && 'warnings' in preview ? preview.warnings : []
  const placed = refused && isPlaced(refused) ? refused.errors : []
  const marks = [...marksOf(problems, 'bad'), ...marksOf(placed, 'bad'), ...marksOf(warnings, 'note')]
  return (
    <section className="sections" aria-label="The contract as YAML">
      <div className="row">
        <span className={`badge ${checked ? (problems.length > 0 ? 'bad' : 'good') : ''}`} role="status">
          {checked ? (problems.length > 0 ? plural(countOf(problems), 'problem') : 'A valid document') : 'Checking …'}
        </span>
        <span className="hint">Open Data Contract Standard v3.1.0 · Escape, then Tab leaves the editor</span>
      </div>
      <fieldset {...fields}>
        <YamlEditor label="The contract as YAML" text={text} marks={marks} onChange={type} />
      </fieldset>
      {overtaken && (
        <>
          <Problems error={refused} />
          <div className="diff-heads">
            <span>Theirs, the current document</span>
            <span>Yours</span>
          </div>
          <TextDiff before={seen.text} after={text} />
        </>
      )}
      {!overtaken && placed.length === 0 && <Problems error={save.error ?? unreadable} />}
      <div className="row">
        <Button look="primary" busy={save.isPending} disabled={problems.length > 0} onClick={() => save.mutate()}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
        <Validated key={text} text={text} target={target} />
      </div>
    </section>
  )
}
