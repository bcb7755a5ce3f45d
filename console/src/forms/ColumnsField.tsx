import { Button } from '../ui/Button.tsx'
import type { ColumnDraft } from './values.ts'

interface ColumnsFieldProps {
  readonly columns: readonly ColumnDraft[]
  readonly dataTypes: readonly string[]
  readonly onChange: (columns: readonly ColumnDraft[]) => void
}

/** Columns one after the other; nested ones come with a patch or an import. */
export const ColumnsField = ({ columns, dataTypes, onChange }: ColumnsFieldProps) => {
  const change = (at: number, changed: Partial<ColumnDraft>): void =>
    onChange(columns.map((column, place) => (place === at ? { ...column, ...changed } : column)))
  return (
    <div className="form-columns">
      {columns.map((column, at) => (
        <div key={at} className="form-column">
          <input
            aria-label={`Name of column ${at + 1}`}
            placeholder="Name"
            value={column.name}
            onChange={(event) => change(at, { name: event.target.value })}
          />
          <select
            aria-label={`Type of column ${at + 1}`}
            value={column.dataType}
            onChange={(event) => change(at, { dataType: event.target.value })}
          >
            <option value="">Type</option>
            {dataTypes.map((dataType) => (
              <option key={dataType}>{dataType}</option>
            ))}
          </select>
          <input
            aria-label={`Description of column ${at + 1}`}
            placeholder="Description"
            value={column.description}
            onChange={(event) => change(at, { description: event.target.value })}
          />
          <Button
            look="quiet"
            icon="trash"
            label={`Remove column ${at + 1}`}
            onClick={() => onChange(columns.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      <Button icon="plus" onClick={() => onChange([...columns, { name: '', dataType: '', description: '' }])}>
        Add a column
      </Button>
    </div>
  )
}
