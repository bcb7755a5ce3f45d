import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem } from '../api/client.ts'
import { loadEntity, refresh } from '../api/queries.ts'
import { Changes } from '../time/Changes.tsx'
import { changesBetween } from '../time/changes.ts'
import { Dialog } from '../ui/Dialog.tsx'
import type { TextFile } from '../ui/FileButton.tsx'
import { plural } from '../ui/format.ts'
import { Problems, Skeleton } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import {
  countOf,
  importDocument,
  isPlaced,
  previewQuery,
  type Contract,
  type Imported,
  type Preview,
  type Target,
} from './queries.ts'
import { marksOf, YamlEditor } from './YamlEditor.tsx'

interface ImportDialogProps {
  readonly file: TextFile
  readonly target: Target
  /** The asset's own contract, when there is one. */
  readonly present: Contract | undefined
  readonly onClose: () => void
}

type Mode = 'merge' | 'replace'

const modes: readonly (readonly [Mode, string])[] = [
  ['merge', 'Keep values that the document omits'],
  ['replace', 'Replace the whole contract'],
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

/** What the catalog says of a contract, and no document does. */
const noContent = new Set(['inherited', 'entity', 'latestResult', 'latestResultStale'])

/** What happens to the contract, member by member, if the document is imported. */
const Outcome = ({ tried, present }: { tried: Imported | undefined; present: Contract | undefined }) => {
  if (tried === undefined) return <Skeleton lines={4} />
  const { warnings: _, ...contract } = tried
  const changes = changesBetween(present ?? nothing, contract).filter(({ member }) => !noContent.has(member))
  return (
    <>
      <h3>{present ? 'Changes to the contract' : 'The new contract'}</h3>
      <div className="diff-heads">
        <span>{present ? 'Now' : 'Nothing yet'}</span>
        <span>After the import</span>
      </div>
      <Changes changes={changes} none="The contract already has everything that the document says." />
    </>
  )
}

const keptWords = (count: number): string => {
  if (count === 0) return 'Each value becomes part of the contract, or is kept in the document and exported again.'
  const words =
    count === 1
      ? 'stays in the document only, or is read in another way: the marked line says how. It'
      : 'stay in the document only, or are read in another way: the marked lines say how. Everything'
  return `${plural(count, 'value')} of it ${words} comes back with the next export.`
}

/** Shows what a dropped document holds, what becomes of every value, and imports it. */
export const ImportDialog = ({ file, target, present, onClose }: ImportDialogProps) => {
  const [mode, setMode] = useState<Mode>('merge')
  const [objectName, setObjectName] = useState<string>()
  const { data: preview, error } = useQuery(previewQuery(file.text))
  const readable = preview !== undefined && 'apiVersion' in preview ? preview : undefined
  const tried = useQuery({
    queryKey: ['odcs', 'tried', file.text, target, mode, objectName],
    queryFn: async () => {
      const etag = present && (await loadEntity('dataContract', present.fullyQualifiedName)).etag
      return { etag, imported: await importDocument(file.text, target, { mode, objectName, etag, dryRun: true }) }
    },
    enabled: readable?.problems.length === 0,
    retry: false,
    gcTime: 0,
  })
  const take = useMutation({
    mutationFn: () => importDocument(file.text, target, { mode, objectName, etag: tried.data?.etag }),
    onSuccess: async ({ warnings }) => {
      onClose()
      toast(warnings.length === 0 ? 'Imported' : `Imported, with ${plural(warnings.length, 'note')}`)
      await refresh()
    },
  })
  const refused = tried.error instanceof Problem && isPlaced(tried.error) ? tried.error.errors : []
  const problems = [...(preview?.problems ?? []), ...refused]
  const warnings = readable?.warnings ?? []
  return (
    <Dialog
      wide
      title={`Import ${file.name}`}
      onClose={onClose}
      action={{ words: 'Import', by: take, icon: 'upload', disabled: !tried.isSuccess }}
    >
      {error && <Problems error={error} />}
      {problems.length === 0 && <Problems error={tried.error} />}
      {readable && <Facts preview={readable} />}
      {readable?.hasMultipleObjects && (
        <label className="field">
          <span>The document describes several objects. Which one is this asset?</span>
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
          It cannot be imported as it is: {plural(countOf(problems), 'problem')}, {problems.length > 1 && 'each '}at its
          line below.
        </p>
      )}
      {readable && problems.length === 0 && !tried.isError && (
        <>
          <Outcome tried={tried.data?.imported} present={present} />
          <h3>The document, value by value</h3>
          <p className="hint">{keptWords(warnings.length)}</p>
        </>
      )}
      <YamlEditor
        label={file.name}
        text={file.text}
        marks={[...marksOf(problems, 'bad'), ...marksOf(warnings, 'note')]}
      />
    </Dialog>
  )
}
