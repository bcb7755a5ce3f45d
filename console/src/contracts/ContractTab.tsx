import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useState } from 'react'
import { mayDo, useMe } from '../api/permissions.ts'
import { columnsOf } from '../entity/columns.ts'
import { useShown } from '../entity/context.ts'
import { Button } from '../ui/Button.tsx'
import { FileButton, readTextFile, type TextFile } from '../ui/FileButton.tsx'
import { Empty, QueryResult } from '../ui/States.tsx'
import { toastError } from '../ui/toasts.tsx'
import { useFocusBack } from '../ui/useFocusBack.ts'
import { ContractView } from './ContractView.tsx'
import { EditContract } from './EditContract.tsx'
import { ImportDialog } from './ImportDialog.tsx'
import { contractQuery, documentQuery, type Contract, type Target } from './queries.ts'
import { templateFor } from './template.ts'

/** The contract's document, as it is edited: as it was when the editor was opened. */
const EditPresent = ({ contract, target, onDone }: { contract: Contract; target: Target; onDone: () => void }) => {
  const document = useQuery(documentQuery(contract))
  return (
    <QueryResult query={document} lines={10}>
      {(start) => <EditContract target={target} start={start} onDone={onDone} />}
    </QueryResult>
  )
}

const EditNew = ({ target, onDone }: { target: Target; onDone: () => void }) => {
  const { kind, loaded } = useShown()
  const columns = columnsOf(loaded.entity, kind).flatMap(([, list]) => list)
  return <EditContract target={target} start={{ text: templateFor(loaded.entity, columns) }} onDone={onDone} />
}

/** Takes files that are dropped anywhere on the page: beside a smaller place the browser would leave the page for them. */
const useDrop = (enabled: boolean, onFile: (file: TextFile) => void): boolean => {
  const [over, setOver] = useState(false)
  useLayoutEffect(() => {
    if (!enabled) return
    const drag = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(event.type !== 'drop')
      const [file] = event.dataTransfer.files
      if (event.type === 'drop' && file) void readTextFile(file).then(onFile, toastError)
    }
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) setOver(false)
    }
    const listening = new AbortController()
    const { signal } = listening
    for (const type of ['dragenter', 'dragover', 'drop'] as const) addEventListener(type, drag, { signal })
    addEventListener('dragleave', leave, { signal })
    return () => listening.abort()
  }, [enabled, onFile])
  return over
}

/** The contract of an asset: its own, or the one that it inherits. */
export const ContractTab = () => {
  const { kind, loaded } = useShown()
  const me = useMe()
  const target = { type: kind.name, id: loaded.entity.id }
  const query = useQuery(contractQuery(target.type, target.id))
  const { data } = query
  const [editing, setEditing] = useState<{ readonly own: Contract | undefined }>()
  useFocusBack(editing !== undefined)
  const [file, setFile] = useState<TextFile>()
  const own = data && !data.inherited ? data : undefined
  const may = mayDo(me, own ? 'edit' : 'create', 'dataContract', own) && !loaded.entity.deleted
  const over = useDrop(may && editing === undefined, setFile)
  const done = (): void => setEditing(undefined)
  const close = (): void => setFile((now) => (now === file ? undefined : now))
  if (editing) {
    return editing.own ? (
      <EditPresent contract={editing.own} target={target} onDone={done} />
    ) : (
      <EditNew target={target} onDone={done} />
    )
  }
  const write = may && (
    <>
      <Button icon="pencil" onClick={() => setEditing({ own })}>
        {own ? 'Edit as YAML' : 'Write one'}
      </Button>
      <FileButton
        words="Import a document"
        label="An ODCS document"
        accept=".yaml,.yml,.json,application/yaml,application/json"
        onFile={setFile}
      />
    </>
  )
  return (
    <div className={over ? 'drop over' : 'drop'}>
      <QueryResult query={query} lines={8}>
        {(contract) =>
          contract === null ? (
            <Empty icon="contract" title="No contract yet">
              <p>
                A data contract says what whoever uses this can rely on.{' '}
                {may && 'Drop an ODCS document of any version here, or start from the current columns.'}
              </p>
              <div className="row">{write}</div>
            </Empty>
          ) : (
            <ContractView contract={contract} actions={write} />
          )
        }
      </QueryResult>
      {over && <p className="drop-hint">Drop the file for a preview</p>}
      {file && <ImportDialog file={file} target={target} present={own} onClose={close} />}
    </div>
  )
}
