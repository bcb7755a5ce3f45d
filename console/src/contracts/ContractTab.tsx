import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useState } from 'react'
import { mayDo, useMe } from '../api/permissions.ts'
import { loadEntity } from '../api/queries.ts'
import { columnsOf } from '../entity/columns.ts'
import { useShown } from '../entity/context.ts'
import { Button } from '../ui/Button.tsx'
import { FileButton, readTextFile, type TextFile } from '../ui/FileButton.tsx'
import { Empty, Failure, Skeleton } from '../ui/States.tsx'
import { toastError } from '../ui/toasts.tsx'
import { useFocusBack } from '../ui/useFocusBack.ts'
import { ContractView } from './ContractView.tsx'
import { EditContract } from './EditContract.tsx'
import { ImportDialog } from './ImportDialog.tsx'
import { contractQuery, documentQuery, type Contract, type Target } from './queries.ts'
import { templateFor } from './template.ts'

/** The contract's document, as it is edited: with the ETag of what was loaded. */
const EditPresent = ({ contract, target, onDone }: { contract: Contract; target: Target; onDone: () => void }) => {
  const text = useQuery({ ...documentQuery(contract.id), staleTime: 0, gcTime: 0 })
  const loaded = useQuery({
    queryKey: ['contract', 'etag', contract.id],
    queryFn: () => loadEntity('dataContract', contract.fullyQualifiedName),
    gcTime: 0,
  })
  const error = text.error ?? loaded.error
  if (error) return <Failure error={error} />
  if (text.data === undefined || loaded.data === undefined || text.isFetching) return <Skeleton lines={10} />
  return <EditContract target={target} start={text.data} etag={loaded.data.etag} onDone={onDone} />
}

const EditNew = ({ target, onDone }: { target: Target; onDone: () => void }) => {
  const { kind, loaded } = useShown()
  const columns = columnsOf(loaded.entity, kind).flatMap(([, list]) => list)
  return <EditContract target={target} start={templateFor(loaded.entity, columns)} onDone={onDone} />
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
  const { data, error, isPending, refetch } = useQuery(contractQuery(target.type, target.id))
  const [editing, setEditing] = useState(false)
  useFocusBack(editing)
  const [file, setFile] = useState<TextFile>()
  const own = data && !data.inherited ? data : undefined
  const may = mayDo(me, own ? 'edit' : 'create', 'dataContract', own) && !loaded.entity.deleted
  const over = useDrop(may && !editing, setFile)
  if (error) return <Failure error={error} retry={() => void refetch()} />
  if (isPending) return <Skeleton lines={8} />
  const done = (): void => setEditing(false)
  const close = (): void => setFile((now) => (now === file ? undefined : now))
  if (editing) {
    return own ? (
      <EditPresent contract={own} target={target} onDone={done} />
    ) : (
      <EditNew target={target} onDone={done} />
    )
  }
  const write = may && (
    <>
      <Button icon="pencil" onClick={() => setEditing(true)}>
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
      {data === null ? (
        <Empty icon="contract" title="No contract yet">
          <p>
            A data contract says what whoever uses this can rely on.{' '}
            {may && 'Drop an ODCS document of any version here, or start from the current columns.'}
          </p>
          <div className="row">{write}</div>
        </Empty>
      ) : (
        <ContractView contract={data} actions={write} />
      )}
      {over && <p className="drop-hint">Drop the file for a preview</p>}
      {file && <ImportDialog file={file} target={target} present={own} onClose={close} />}
    </div>
  )
}
