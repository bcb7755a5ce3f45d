import { useState } from 'react'
import { kindNamed } from '../api/kinds.ts'
import { mayDo, useMay, useMe } from '../api/permissions.ts'
import { measures, type ListSearch } from '../api/reads.ts'
import { Button } from '../ui/Button.tsx'
import { FileButton, type TextFile } from '../ui/FileButton.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Popover } from '../ui/Popover.tsx'
import { formatNumber, inSentence, plural } from '../ui/format.ts'
import { useWritten } from '../ui/useWritten.ts'
import { ChangeDialog } from './ChangeDialog.tsx'
import { columnsFor, columnsShown } from './columns.tsx'
import { ManyChanges } from './ManyChanges.tsx'
import { exportAddress, sendCsv } from './queries.ts'
import { countOf, nothingSelected, type Selected } from './selected.ts'

interface ToolsProps {
  readonly kind: string
  readonly search: ListSearch
  readonly onChange: (changed: ListSearch) => void
}

/** Words that narrow a list while they are written. */
const Words = ({ search, onChange }: Omit<ToolsProps, 'kind'>) => {
  const [written, setWritten] = useWritten(search.q ?? '', (q) => onChange({ q: q || undefined }), 250)
  return (
    <input
      type="search"
      className="filter"
      aria-label="Filter by words"
      placeholder="Narrow by words"
      value={written}
      onChange={(event) => setWritten(event.target.value.trimStart())}
    />
  )
}

const ColumnChoice = ({ kind, search, onChange }: ToolsProps) => {
  const shown = columnsShown(kind, search.columns)
  return (
    <Popover label="Choose columns" look="plain" face="Columns">
      {() => (
        <fieldset>
          <legend className="hidden">Columns</legend>
          {columnsFor(kind).map((column) => (
            <label key={column.name} className="choice">
              <input
                type="checkbox"
                checked={shown.includes(column)}
                onChange={() => {
                  const next = columnsFor(kind).filter((each) => shown.includes(each) !== (each === column))
                  onChange({ columns: next.map(({ name }) => name).join(',') || 'none' })
                }}
              />
              {column.title}
            </label>
          ))}
        </fieldset>
      )}
    </Popover>
  )
}

/** Takes a CSV file and shows what it would change. */
const Import = ({ kind }: { kind: string }) => {
  const [sheet, setSheet] = useState<TextFile>()
  return (
    <>
      <FileButton words="Import" label="CSV file" accept=".csv,text/csv" onFile={setSheet} />
      {sheet && (
        <ManyChanges
          kind={kind}
          title={`Import ${sheet.name}`}
          send={sendCsv(kind, sheet.text)}
          onClose={() => setSheet(undefined)}
        />
      )}
    </>
  )
}

interface ListToolsProps extends ToolsProps {
  readonly total: number
  readonly selected: Selected
  readonly onSelect: (selected: Selected) => void
  readonly filtering: boolean
  readonly onFiltering: () => void
}

/** What can be done with a list: narrow it, choose its columns, change what is selected, take it to a spreadsheet and back. */
export const ListTools = (props: ListToolsProps) => {
  const { kind, search, total, selected, onSelect, filtering, onFiltering, onChange } = props
  const me = useMe()
  const maySearch = useMay('search', kind)
  const mayEdit = mayDo(me, 'edit', kind)
  const [changing, setChanging] = useState(false)
  const { one, many } = kindNamed(kind)
  const count = countOf(selected, total)
  const isPresent = search.asOf === undefined
  return (
    <div className="list-tools">
      {maySearch && isPresent && <Words key={kind} search={search} onChange={onChange} />}
      {maySearch && isPresent && measures.every(({ name }) => search[name] === undefined) && (
        <Button aria-expanded={filtering} onClick={onFiltering}>
          Filters
        </Button>
      )}
      <ColumnChoice kind={kind} search={search} onChange={onChange} />
      {count > 0 && (
        <>
          <span className="hint" role="status">
            {formatNumber(count)} selected
          </span>
          <Button look="primary" icon="pencil" onClick={() => setChanging(true)}>
            Change…
          </Button>
          <Button look="quiet" onClick={() => onSelect(nothingSelected)}>
            Select none
          </Button>
        </>
      )}
      <span className="end row">
        <a href={exportAddress(kind, search)} download className="button plain">
          <Icon name="download" size={16} /> Export
        </a>
        {mayEdit && <Import kind={kind} />}
      </span>
      {changing && (
        <ChangeDialog
          kind={kind}
          what={plural(count, inSentence(one), inSentence(many))}
          selected={selected}
          search={search}
          onClose={() => setChanging(false)}
        />
      )}
    </div>
  )
}
