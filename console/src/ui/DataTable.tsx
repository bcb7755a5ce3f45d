import type { ReactNode } from 'react'

interface DataTableProps {
  /** What the table is about, for those who do not see it. */
  readonly label: string
  readonly heads: readonly string[]
  /** Look of the table. */
  readonly look?: 'columns'
  /** Its rows. */
  readonly children: ReactNode
  /** What stands below the rows, within the frame. */
  readonly foot?: ReactNode
}

/** A table in its frame: it scrolls within itself where the page is too narrow. */
export const DataTable = ({ label, heads, look, children, foot }: DataTableProps) => (
  <div className="scroll-x card flush" role="region" aria-label={label} tabIndex={0}>
    <table className={look}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
    {foot}
  </div>
)
