import { memo, useCallback, useMemo, useState } from 'react'
import type { Column, TagLabel } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Markdown } from '../ui/Markdown.tsx'
import { Tag } from '../ui/Tag.tsx'
import { formatNumber } from '../ui/format.ts'
import { countColumns } from './columns.ts'
import { useEditor, useShown } from './context.ts'
import { MarkdownEditor } from './Description.tsx'
import { setColumn } from './edits.ts'
import { Picker } from './Picker.tsx'
import { useStaying } from './staying.ts'
import { Written } from './Written.tsx'
import { asLabel, asReference } from './references.ts'

/** A column with where it stands. */
interface Placed {
  readonly column: Column
  readonly names: readonly string[]
}

const flatten = (columns: readonly Column[], above: readonly string[] = []): Placed[] =>
  columns.flatMap((column) => {
    const names = [...above, column.name]
    return [{ column, names }, ...flatten(column.children ?? [], names)]
  })

const keyOf = (names: readonly string[]): string => names.join('\0')

const keyOfPlaced = ({ names }: Placed): string => keyOf(names)

/** Whether one of those above it is closed. */
const isClosedIn = ({ names }: Placed, closed: ReadonlySet<string>): boolean =>
  names.some((_, depth) => depth > 0 && closed.has(keyOf(names.slice(0, depth))))

const matches = ({ column }: Placed, words: string): boolean =>
  [
    column.name,
    column.displayName,
    column.description,
    column.dataType,
    ...(column.tags ?? []).map(({ tagFQN }) => tagFQN),
  ]
    .filter((text) => text !== undefined)
    .some((text) => text.toLowerCase().includes(words))

const constraints: Readonly<Record<string, string>> = {
  PRIMARY_KEY: 'Primary key',
  UNIQUE: 'Unique',
  NOT_NULL: 'Not null',
  NULL: 'Nullable',
}

interface CellProps {
  readonly tree: string
  readonly placed: Placed
}

/** As the provenance names it. */
const pathOf = (tree: string, names: readonly string[], member: string): string =>
  `${tree}.${names.map((name) => (/[."]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join('.children.')}.${member}`

const DescriptionCell = ({ tree, placed: { column, names } }: CellProps) => {
  const { editable } = useShown()
  const editor = useEditor()
  if (editor.isOpen) {
    return (
      <MarkdownEditor
        label={`Description of ${names.join('.')}`}
        rows={3}
        text={column.description ?? ''}
        busy={editor.busy}
        error={editor.error}
        onCancel={editor.close}
        onSave={(text) => editor.save(setColumn(tree, names, 'description', text === '' ? null : text))}
      />
    )
  }
  return (
    <div className="editable">
      {column.description ? <Markdown text={column.description} /> : <span className="hint">–</span>}
      <Written path={pathOf(tree, names, 'description')} />
      {editable && (
        <Button
          look="quiet"
          icon="pencil"
          className="edit"
          label={`Edit the description of ${names.join('.')}`}
          onClick={editor.open}
        />
      )}
    </div>
  )
}

const TagsCell = ({ tree, placed: { column, names } }: CellProps) => {
  const { editable } = useShown()
  const editor = useEditor()
  const tags: readonly TagLabel[] = column.tags ?? []
  if (editor.isOpen) {
    return (
      <Picker
        label={`Tags of ${names.join('.')}`}
        kinds={['tag', 'glossaryTerm']}
        chosen={tags.map(asReference)}
        busy={editor.busy}
        error={editor.error}
        onCancel={editor.close}
        onSave={(chosen) => {
          editor.save(setColumn(tree, names, 'tags', chosen.map(asLabel)))
        }}
      />
    )
  }
  return (
    <div className="editable tags">
      {tags.map((tag) => (
        <Tag key={`${tag.source} ${tag.tagFQN}`} tag={tag} />
      ))}
      <Written path={pathOf(tree, names, 'tags')} />
      {editable && (
        <Button
          look="quiet"
          icon="tag"
          className="edit"
          label={`Edit the tags of ${names.join('.')}`}
          onClick={editor.open}
        />
      )}
    </div>
  )
}

interface RowProps extends CellProps {
  /** Only shown while something in it is being edited. */
  readonly away: boolean
  readonly gone: boolean
  readonly here: boolean
  readonly closed: boolean
  readonly tagged: boolean
  readonly onToggle: (key: string) => void
}

const Row = memo(({ tree, placed, away, gone, here, closed, tagged, onToggle }: RowProps) => {
  const { column, names } = placed
  const below = column.children?.length ?? 0
  return (
    <tr
      className={away ? 'away' : here ? 'here' : undefined}
      ref={here ? (row) => row?.scrollIntoView({ block: 'center' }) : undefined}
    >
      <th scope="row">
        <span className="column-name" style={{ '--level': names.length - 1 } as React.CSSProperties}>
          {below > 0 ? (
            <button
              type="button"
              className="twisty"
              aria-expanded={!closed}
              aria-label={`${closed ? 'Open' : 'Close'} ${column.name}`}
              onClick={() => onToggle(keyOf(names))}
            >
              <Icon name="chevron" size={14} />
            </button>
          ) : (
            <span className="twisty" />
          )}
          <span>
            <code>{column.name}</code>{' '}
            {column.constraint && column.constraint !== 'NULL' && (
              <span className="badge" title={constraints[column.constraint] ?? column.constraint}>
                {column.constraint === 'PRIMARY_KEY'
                  ? 'key'
                  : (constraints[column.constraint] ?? column.constraint).toLowerCase()}
              </span>
            )}
            {gone && <small>no longer there</small>}
            {column.displayName && column.displayName !== column.name && <small>{column.displayName}</small>}
          </span>
        </span>
      </th>
      <td>
        <code className="type">{column.dataTypeDisplay ?? column.dataType?.toLowerCase()}</code>
      </td>
      <td>
        <DescriptionCell tree={tree} placed={placed} />
      </td>
      {tagged && (
        <td>
          <TagsCell tree={tree} placed={placed} />
        </td>
      )}
    </tr>
  )
})

interface ColumnsTableProps {
  readonly title: string
  /** Path of the list in the entity. */
  readonly tree: string
  readonly columns: readonly Column[]
  /** Name of the column that the address points to. */
  readonly wanted?: string | undefined
}

const heads = ['Name', 'Type', 'Description']

/** Columns or fields, nested ones below those that hold them. */
export const ColumnsTable = ({ title, tree, columns, wanted }: ColumnsTableProps) => {
  const [words, setWords] = useState('')
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const total = countColumns(columns)
  const filter = words.trim().toLowerCase()
  const all = useStaying(
    useMemo(() => flatten(columns), [columns]),
    keyOfPlaced,
  )
  const isShown = (each: Placed): boolean => (filter === '' ? !isClosedIn(each, closed) : matches(each, filter))
  // Fields of messages and requests carry no tags.
  const tagged = !tree.endsWith('schemaFields') && tree !== 'fields' && tree !== 'schema'
  const toggle = useCallback((key: string): void => {
    setClosed((now) => {
      const next = new Set(now)
      if (!next.delete(key)) next.add(key)
      return next
    })
  }, [])
  return (
    <section aria-label={title} className={total === 0 ? 'away' : undefined}>
      <div className="section-head">
        <h2>
          {title} <span className="count">{formatNumber(total)}</span>
        </h2>
        {total > 8 && (
          <input
            type="search"
            className="filter"
            aria-label={`Filter ${title.toLowerCase()}`}
            placeholder="Filter"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        )}
      </div>
      <DataTable
        label={title}
        look="columns"
        heads={tagged ? [...heads, 'Tags'] : heads}
        foot={
          total > 0 &&
          !all.some(({ thing, gone }) => !gone && isShown(thing)) && (
            <p className="hint pad">
              No {title.toLowerCase()} match “{words}”.
            </p>
          )
        }
      >
        {all.map(({ thing: placed, gone }) => {
          const key = keyOf(placed.names)
          const { fullyQualifiedName, name } = placed.column
          return (
            <Row
              key={key}
              tree={tree}
              placed={placed}
              tagged={tagged}
              away={gone || !isShown(placed)}
              gone={gone}
              here={wanted !== undefined && wanted === (fullyQualifiedName ?? name)}
              closed={closed.has(key)}
              onToggle={toggle}
            />
          )
        })}
      </DataTable>
    </section>
  )
}
