import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { kindNamed } from '../api/kinds.ts'
import { mayDo, ownFilter, useMe } from '../api/permissions.ts'
import { listQuery } from '../api/queries.ts'
import type { Column, Reference } from '../api/types.ts'
import { useMoment } from '../tree/place.ts'
import { Button } from '../ui/Button.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { ShowMore } from '../ui/More.tsx'
import { Markdown } from '../ui/Markdown.tsx'
import { formatNumber, wordsOf } from '../ui/format.ts'
import { QueryResult } from '../ui/States.tsx'
import { firstLine } from '../ui/firstLine.ts'
import { Contained } from '../ui/Contained.tsx'
import { columnsOf, memberAt } from './columns.ts'
import { ColumnsTable } from './ColumnsTable.tsx'
import { useShown } from './context.ts'
import { Description } from './Description.tsx'
import { partsOf } from './parts.ts'
import { longList } from './Side.tsx'
import { useStaying } from './staying.ts'
import { ResultBadge, TestResults } from './TestResults.tsx'
import { ValueView } from './ValueView.tsx'

const Code = ({ title, code }: { title: string; code: string }) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    <pre className="code card" tabIndex={0}>
      <code>{code}</code>
    </pre>
  </section>
)

/** Texts in other languages, by where they stand. */
const codes: readonly (readonly [path: string, title: string])[] = [
  ['storedProcedureCode.code', 'Code'],
  ['schemaDefinition', 'Definition'],
  ['messageSchema.schemaText', 'Original schema'],
]

const treeTitles: Readonly<Record<string, string>> = {
  columns: 'Columns',
  'dataModel.columns': 'Columns',
  'messageSchema.schemaFields': 'Message fields',
  'requestSchema.schemaFields': 'Request',
  'responseSchema.schemaFields': 'Response',
  fields: 'Fields',
  schema: 'Promised columns',
}

const References = ({ title, references }: { title: string; references: readonly Reference[] }) => {
  const [all, setAll] = useState(false)
  const shown = all ? references : references.slice(0, 24)
  return (
    <section aria-label={title}>
      <h2>
        {title} <span className="count">{formatNumber(references.length)}</span>
      </h2>
      <ul className="reference-grid">
        {shown.map((reference) => (
          <li key={reference.id}>
            <EntityLink reference={reference} />
          </li>
        ))}
      </ul>
      {shown.length < references.length && <Button onClick={() => setAll(true)}>Show all</Button>}
    </section>
  )
}

const Table = ({ title, rows }: { title: string; rows: readonly Readonly<Record<string, unknown>>[] }) => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== 'fullyQualifiedName')
  return (
    <section aria-label={title}>
      <h2>
        {title} <span className="count">{formatNumber(rows.length)}</span>
      </h2>
      <DataTable label={title} heads={names.map(wordsOf)}>
        {rows.map((row, at) => (
          <tr key={at}>
            {names.map((name) => (
              <td key={name}>
                <ValueView value={row[name]} />
              </td>
            ))}
          </tr>
        ))}
      </DataTable>
    </section>
  )
}

/** What stands below, or stood there at the moment of the page: one list of the API. */
const Below = ({ child, filter, fqn }: { child: string; filter: string; fqn: string }) => {
  const me = useMe()
  const may = mayDo(me, 'view', child)
  const asOf = useMoment()
  const list = useInfiniteQuery({
    ...listQuery(child, { [filter]: fqn, asOf, ...ownFilter(me, child) }, 50),
    enabled: may,
  })
  const pages = list.data?.pages ?? []
  const entities = pages.flatMap((page) => page.data)
  const kind = kindNamed(child)
  if (entities.length === 0 && (list.error === null || list.data)) return null
  return (
    <QueryResult query={list}>
      {() => (
        <section aria-label={kind.many}>
          <h2>
            {kind.many} <span className="count">{formatNumber(pages[0]?.paging.total ?? entities.length)}</span>
          </h2>
          <ul className="below card flush">
            {entities.map((entity) => (
              <li key={entity.id}>
                <EntityLink reference={{ ...entity, type: child }} />
                {kind.results === true && <ResultBadge result={entity['latestResult']} />}
                <span className="below-text">{firstLine(entity.description)}</span>
              </li>
            ))}
          </ul>
          <ShowMore pages={list} />
        </section>
      )}
    </QueryResult>
  )
}

const none: readonly Column[] = []

/** The body of an entity's page: everything that its kind has. */
export const Sections = () => {
  const { kind, loaded, asOf } = useShown()
  const { column } = useSearch({ strict: false }) as { column?: string }
  const { entity } = loaded
  const moment = useMoment()
  const { references, tables, others } = partsOf(entity, kind)
  const trees = useStaying(
    useMemo(() => columnsOf(entity, kind), [entity, kind]),
    ([path]) => path,
  )
  const { termsOfUse } = entity
  return (
    <div className="sections">
      <Contained of={entity}>
        <Description />
        {kind.results === true && <TestResults />}
        {trees.map(({ thing: [path, columns], gone }) => (
          <ColumnsTable
            key={path}
            title={treeTitles[path] ?? wordsOf(path)}
            tree={path}
            columns={gone ? none : columns}
            wanted={column}
          />
        ))}
        {tables.map(([name, rows]) => (
          <Table key={name} title={wordsOf(name)} rows={rows} />
        ))}
        {typeof termsOfUse === 'string' && (
          <section aria-label="Terms of use">
            <h2>Terms of use</h2>
            <Markdown text={termsOfUse} />
          </section>
        )}
        {others.map(([name, value]) => (
          <section key={name} aria-label={wordsOf(name)}>
            <h2>{wordsOf(name)}</h2>
            <div className="card">
              <ValueView value={value} isResult={name === 'latestResult'} />
            </div>
          </section>
        ))}
        {codes.map(([path, title]) => {
          const code = memberAt(entity, path)
          return typeof code === 'string' && code !== '' ? <Code key={path} title={title} code={code} /> : null
        })}
        {references
          .filter(([, list]) => list.length >= longList)
          .map(([name, list]) => (
            <References key={name} title={wordsOf(name)} references={list} />
          ))}
        {(asOf === undefined || moment !== undefined) &&
          [...(kind.below ?? []), ...(kind.about ?? [])].map(([child, filter]) => (
            <Below key={child + filter} child={child} filter={filter} fqn={entity.fullyQualifiedName} />
          ))}
      </Contained>
    </div>
  )
}
