import { useMemo, useState } from 'react'
import { useMay } from '../api/permissions.ts'
import { Button } from '../ui/Button.tsx'
import { EditForm } from '../ui/EditForm.tsx'
import { SaveOrCancel } from '../ui/SaveOrCancel.tsx'
import { Problems } from '../ui/States.tsx'
import { Ago } from '../ui/Time.tsx'
import { formatNumber, formatTime, wordsOf } from '../ui/format.ts'
import { useEditor, useShown, type Editor } from './context.ts'
import { setMember } from './edits.ts'
import { useStaying } from './staying.ts'

interface TestResult {
  readonly status: 'Success' | 'Failed' | 'Aborted'
  readonly timestamp: number
  readonly message?: string
}

interface Incident {
  readonly status: 'Open' | 'Resolved'
  readonly openedAt?: number
  readonly resolvedAt?: number
  readonly resolvedBy?: string
  readonly note?: string
}

const words = { Success: 'passed', Failed: 'failed', Aborted: 'aborted', PartialSuccess: 'passed in part' } as const
const looks = { Success: 'good', Failed: 'bad', Aborted: 'status-draft', PartialSuccess: 'status-draft' } as const

/** What a result is called, of a test case or a contract. */
export const resultWords = (status: string): string =>
  status === 'none' ? 'no result' : (words[status as keyof typeof words] ?? wordsOf(status).toLowerCase())

/** How the newest run of a test, or validation of a contract, went. */
export const ResultBadge = ({ result, none = 'not run' }: { result: unknown; none?: string }) => {
  const status = (result as TestResult | undefined)?.status
  return status === undefined ? (
    <span className="badge">{none}</span>
  ) : (
    <span className={`badge ${looks[status] ?? ''}`}>{resultWords(status)}</span>
  )
}

/** One bar for each run, the newest last. */
const Strip = ({ results }: { results: readonly TestResult[] }) => {
  const failed = results.filter(({ status }) => status !== 'Success').length
  return (
    <div
      className="run-strip"
      role="img"
      aria-label={`Of the last ${formatNumber(results.length)} runs ${formatNumber(failed)} did not pass`}
    >
      {results.toReversed().map(({ timestamp, status, message }) => (
        <span
          key={timestamp}
          className={`run ${looks[status]}`}
          title={`${formatTime(timestamp)}: ${words[status]}${message === undefined ? '' : `, ${message}`}`}
        />
      ))}
    </div>
  )
}

const Resolving = ({ editor: { close, save, busy, error } }: { editor: Editor }) => {
  const [note, setNote] = useState('')
  return (
    <EditForm
      className="editor"
      busy={busy}
      onSave={() => save(setMember('incident', { status: 'Resolved', note: note.trim() === '' ? null : note }))}
      onCancel={close}
    >
      <textarea
        aria-label="What was wrong"
        placeholder="What was wrong"
        rows={2}
        autoFocus
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <Problems error={error} />
      <div className="row">
        <SaveOrCancel busy={busy} onCancel={close} />
      </div>
    </EditForm>
  )
}

const Shown = ({ incident, gone }: { incident: Incident; gone: boolean }) => {
  const { editable, kind, loaded } = useShown()
  const mayEdit = useMay('edit', kind.name, loaded.entity)
  const editor = useEditor()
  const { status, openedAt, resolvedAt, resolvedBy, note } = incident
  return (
    <div className={gone ? 'card pad away' : 'card pad'} role="group" aria-label="Incident">
      <p>
        <span className={`badge ${status === 'Open' ? 'bad' : 'good'}`}>{status === 'Open' ? 'open' : 'resolved'}</span>{' '}
        {openedAt !== undefined && (
          <>
            Incident since <Ago time={openedAt} />
          </>
        )}
        {status === 'Resolved' && resolvedAt !== undefined && (
          <>
            , resolved <Ago time={resolvedAt} />
            {resolvedBy !== undefined && ` by ${resolvedBy}`}
          </>
        )}
      </p>
      {note !== undefined && <p className="hint">{note}</p>}
      {editor.isOpen ? (
        <Resolving editor={editor} />
      ) : (
        status === 'Open' && editable && mayEdit && <Button onClick={editor.open}>Resolve …</Button>
      )}
    </div>
  )
}

/** How a test went over time, and its newest incident. */
export const TestResults = () => {
  const { entity } = useShown().loaded
  const results = (entity['results'] ?? []) as readonly TestResult[]
  const incident = entity['incident'] as Incident | undefined
  const incidents = useStaying(
    useMemo(() => (incident === undefined ? [] : [incident]), [incident]),
    () => 'incident',
  )
  const [newest] = results
  return (
    <section aria-label="Results">
      <h2>
        Results <ResultBadge result={newest} />{' '}
        {newest && <small className="hint">{<Ago time={newest.timestamp} />}</small>}
      </h2>
      {newest === undefined ? <p className="hint">This test has not run yet.</p> : <Strip results={results} />}
      {newest?.message !== undefined && <p>{newest.message}</p>}
      {incidents.map(({ thing, gone }) => (
        <Shown key="incident" incident={thing} gone={gone} />
      ))}
    </section>
  )
}
