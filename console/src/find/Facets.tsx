import { kindNamed, kinds } from '../api/kinds.ts'
import { mayDo, useMe } from '../api/permissions.ts'
import type { Hit, Reference } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import type { FindSearch } from './expression.ts'

interface FacetsProps {
  readonly search: FindSearch
  readonly hits: readonly Hit[]
  readonly onChange: (changed: Partial<FindSearch>) => void
}

interface Choice {
  readonly value: string
  readonly label: string
  readonly count: number
}

/** The values that hits have, the most frequent first. */
const countedIn = (
  hits: readonly Hit[],
  valuesOf: (hit: Hit) => readonly (readonly [value: string, label: string])[],
): Choice[] => {
  const counts = new Map<string, Choice>()
  for (const hit of hits) {
    for (const [value, label] of valuesOf(hit)) {
      counts.set(value, { value, label, count: (counts.get(value)?.count ?? 0) + 1 })
    }
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1)).slice(0, 8)
}

const named = (reference: Reference): readonly [string, string] => [
  reference.name,
  reference.displayName ?? reference.name,
]

const facets: readonly {
  readonly name: 'owner' | 'tag' | 'service' | 'status'
  readonly title: string
  readonly values: (hit: Hit) => readonly (readonly [string, string])[]
}[] = [
  { name: 'owner', title: 'Owner', values: ({ _source }) => (_source.owners ?? []).map(named) },
  {
    name: 'tag',
    title: 'Tag',
    values: ({ _source }) =>
      (_source.tags ?? []).map((tag) => [tag.tagFQN, tag.displayName ?? tag.name ?? tag.tagFQN] as const),
  },
  {
    name: 'service',
    title: 'Service',
    values: ({ _source }) => {
      const service = _source['service'] as Reference | undefined
      return service === undefined ? [] : [named(service)]
    },
  },
  {
    name: 'status',
    title: 'Status',
    values: ({ _source: { entityStatus } }) =>
      entityStatus === undefined || entityStatus === 'Unprocessed' ? [] : [[entityStatus, entityStatus] as const],
  },
]

interface GroupProps {
  readonly title: string
  readonly choices: readonly Choice[]
  readonly chosen: string | undefined
  readonly onChoose: (value: string | undefined) => void
}

const Group = ({ title, choices, chosen, onChoose }: GroupProps) => {
  const listed = choices.some(({ value }) => value === chosen) || chosen === undefined
  const shown = listed ? choices : [{ value: chosen, label: chosen, count: 0 }, ...choices]
  if (shown.length === 0) return null
  return (
    <fieldset className="facet">
      <legend>{title}</legend>
      {shown.map(({ value, label }) => (
        <label key={value} className={value === chosen ? 'choice on' : 'choice'}>
          <input
            type="checkbox"
            checked={value === chosen}
            onChange={() => onChoose(value === chosen ? undefined : value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** What a search can be narrowed by: kinds, and the values that the hits at hand have. */
export const Facets = ({ search, hits, onChange }: FacetsProps) => {
  const me = useMe()
  const some =
    facets.some(({ name }) => search[name] !== undefined) || search.kind !== undefined || search.deleted === 'true'
  return (
    <aside className="facets" aria-label="Filters">
      {some && (
        <Button
          look="quiet"
          icon="close"
          onClick={() =>
            onChange({
              kind: undefined,
              owner: undefined,
              tag: undefined,
              service: undefined,
              status: undefined,
              deleted: undefined,
            })
          }
        >
          Take all filters away
        </Button>
      )}
      <label className="field">
        <span>Kind</span>
        <select value={search.kind ?? ''} onChange={(event) => onChange({ kind: event.target.value || undefined })}>
          <option value="">All kinds</option>
          {kinds
            .filter(({ name }) => mayDo(me, 'search', name) && mayDo(me, 'view', name))
            .map(({ name, many }) => (
              <option key={name} value={name}>
                {many}
              </option>
            ))}
        </select>
      </label>
      {search.kind === undefined && (
        <ul className="facet-kinds">
          {countedIn(hits, ({ _source: { entityType } }) => [[entityType, kindNamed(entityType).many]]).map(
            ({ value, label }) => (
              <li key={value}>
                <button type="button" onClick={() => onChange({ kind: value })}>
                  <KindIcon kind={value} size={16} /> {label}
                </button>
              </li>
            ),
          )}
        </ul>
      )}
      {facets.map(({ name, title, values }) => (
        <Group
          key={name}
          title={title}
          choices={countedIn(hits, values)}
          chosen={search[name]}
          onChoose={(value) => onChange({ [name]: value })}
        />
      ))}
      <label className="choice">
        <input
          type="checkbox"
          checked={search.deleted === 'true'}
          onChange={(event) => onChange({ deleted: event.target.checked ? 'true' : undefined })}
        />
        <span>Deleted ones</span>
      </label>
    </aside>
  )
}
