import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../api/queries.ts'
import { Changes } from '../time/Changes.tsx'
import { changesBetween } from '../time/changes.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { plural } from '../ui/format.ts'
import { Problems, Skeleton } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import { importDocument, previewQuery, type Contract, type Preview, type Target } from './queries.ts'
import { marksOf, YamlEditor } from './YamlEditor.tsx'

/** A file that was dropped. */
export interface Dropped {
  readonly name: string
  readonly text: string
}

interface ImportDialogProps {
  readonly file: Dropped
  readonly target: Target
  /** The asset's own contract, when there is one. */
  readonly present: Contract | undefined
  readonly onClose: () => void
}

type Mode = 'merge' | 'replace'

const modes: readonly (readonly [Mode, string])[] = [
  ['merge', 'Keep what the document leaves out'],
  ['replace', 'Make the contract what the document says'],
]

const Facts = ({ preview }: { preview: Preview }) => (
  <p>
    <strong>{preview.name ?? 'A contract without a name'}</strong>{' '}
    {[preview.version && `version ${preview.version}`, preview.status, `read as ODCS ${preview.apiVersion}`]
      .filter((word) => word)
      .join(' · ')}
  </p>
)

const nothing = {}

/** What happens to the contract, member by member, if the document is imported. */
const Outcome = ({ file, target, present, mode, objectName }: OutcomeProps) => {
  const { data, error, isPending } = useQuery({
    queryKey: ['odcs', 'tried', file.text, target, mode, objectName],
    queryFn: () => importDocument(file.text, target, { mode, objectName, dryRun: true }),
    retry: false,
  })
  if (error) return <Problems error={error} />
  if (isPending) return <Skeleton lines={4} />
  const { warnings: _, entity: __, ...contract } = data
  const changes = changesBetween(present ?? nothing, contract).filter(({ member }) => member !== 'inherited')
  return (
    <>
      <h3>{present ? 'What changes in the contract' : 'What the contract will say'}</h3>
      <div className="diff-heads">
        <span>{present ? 'Now' : 'Nothing yet'}</span>
        <span>After the import</span>
      </div>
      <Changes changes={changes} />
    </>
  )
}

interface OutcomeProps extends Omit<ImportDialogProps, 'onClose'> {
  readonly mode: Mode
  readonly objectName: string | undefined
}

/** Shows what a dropped document holds, what becomes of every value, and imports it. */
export const ImportDialog = ({ file, target, present, onClose }: ImportDialogProps) => {
  const [mode, setMode] = useState<Mode>('merge')
  const [objectName, setObjectName] = useState<string>()
  const { data: preview, error } = useQuery(previewQuery(file.text))
  const take = useMutation({
    mutationFn: () => importDocument(file.text, target, { mode, objectName }),
    onSuccess: async ({ warnings }) => {
      onClose()
      toast(warnings.length === 0 ? 'Imported' : `Imported, with ${plural(warnings.length, 'note')}`)
      await refresh()
    },
  })
  const problems = preview?.problems ?? []
  const readable = preview !== undefined && 'apiVersion' in preview ? preview : undefined
  const warnings = readable?.warnings ?? []
  return (
    <Dialog
      wide
      title={`Import ${file.name}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            icon="upload"
            busy={take.isPending}
            disabled={problems.length > 0}
            onClick={() => take.mutate()}
          >
            Import
          </Button>
        </>
      }
    >
      {error && <Problems error={error} />}
      {readable && <Facts preview={readable} />}
      {readable?.hasMultipleObjects && (
        <label className="field">
          <span>The document describes several things. Which one is this?</span>
          <select value={objectName ?? ''} onChange={(event) => setObjectName(event.target.value || undefined)}>
            <option value="">Choose by name</option>
            {readable.schemaObjects.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {present && (
        <fieldset className="segments">
          <legend className="hidden">How</legend>
          {modes.map(([value, words]) => (
            <label key={value} className={mode === value ? 'segment on' : 'segment'}>
              <input type="radio" name="mode" checked={mode === value} onChange={() => setMode(value)} />
              {words}
            </label>
          ))}
        </fieldset>
      )}
      {problems.length > 0 && (
        <p className="notice bad" role="alert">
          It cannot be imported as it is: {plural(problems.length, 'problem')}, each at its line below.
        </p>
      )}
      {readable && problems.length === 0 && (
        <>
          <Outcome file={file} target={target} present={present} mode={mode} objectName={objectName} />
          <h3>The document, value by value</h3>
          <p className="hint">
            {warnings.length === 0
              ? 'Every value becomes a part of the contract, or stays in its document and comes back with the next export.'
              : `${plural(warnings.length, 'value')} of it stay in the document only, or are read in another way: the marked lines say how. Everything comes back with the next export.`}
          </p>
        </>
      )}
      <YamlEditor
        label={file.name}
        text={file.text}
        marks={[...marksOf(problems, 'bad'), ...marksOf(warnings, 'note')]}
      />
      <Problems error={take.error} />
    </Dialog>
  )
}
