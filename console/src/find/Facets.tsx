import { useState } from 'react'
import { kindNamed } from '../api/kinds.ts'
import type { Facet } from '../api/queries.ts'
import type { FindSearch } from '../api/reads.ts'
import { Button } from '../ui/Button.tsx'
import { formatNumber } from '../ui/format.ts'
import { resultWords } from '../entity/TestResults.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import { facets, useFacets, noFilters, type FacetName, type Listed } from './search.ts'

interface FacetsProps {
  readonly search: FindSearch
  /** What cannot be chosen. */
  readonly without?: FacetName
  /** Takes what is different from now on. */
  readonly onChange: (changed: FindSearch) => void
}

/** So many values are shown before all are asked for. */
const few = 6

const labelOf = (name: FacetName, { value, displayName }: Pick<Facet, 'value' | 'displayName'>): string =>
  name === 'kind' ? kindNamed(value).many : (displayName ?? (name === 'validation' ? resultWords(value) : value))

/** `10,000+` where not all hits were looked at. */
const countText = ({ count, relation }: Listed): string =>
  count === undefined ? '' : formatNumber(count) + (relation === 'gte' ? '+' : '')

interface GroupProps {
  readonly name: FacetName
  readonly title: string
  readonly values: readonly Listed[]
  readonly chosen: string | undefined
  readonly onChoose: (value: string | undefined) => void
}

const Group = ({ name, title, values, chosen, onChoose }: GroupProps) => {
  const [all, setAll] = useState(false)
  const listed = chosen === undefined || values.some(({ value }) => value === chosen)
  const known: readonly Listed[] = listed ? values : [{ value: chosen }, ...values]
  const shown = known.filter(({ value }, at) => all || at < few || value === chosen)
  if (known.length === 0) return null
  return (
    <fieldset className="facet">
      <legend>{title}</legend>
      {shown.map((facet) => (
        <label key={facet.value} className={facet.value === chosen ? 'choice on' : 'choice'} title={facet.value}>
          <input
            type="radio"
            name={name}
            checked={facet.value === chosen}
            onChange={() => onChoose(facet.value)}
            onClick={() => facet.value === chosen && onChoose(undefined)}
          />
          {name === 'kind' && <KindIcon kind={facet.value} size={15} />}
          <span className="choice-name">{labelOf(name, facet)}</span>
          <span className="count end">{countText(facet)}</span>
        </label>
      ))}
      {known.length > few && (
        <Button look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${formatNumber(known.length)}`}
        </Button>
      )}
    </fieldset>
  )
}

/** What a search can be narrowed by, with how many hits each leaves. */
export const Facets = ({ search, without, onChange }: FacetsProps) => {
  const counted = useFacets(search)
  const [open, setOpen] = useState(false)
  // A list has its own button, and does not ask for the kind.
  const within = without === 'kind'
  return (
    <aside className={open || within ? 'facets open' : 'facets'} aria-label="Filters">
      {!within && (
        <Button className="facets-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide the filters' : 'Filters'}
        </Button>
      )}
      {facets.map(
        ({ name, title }) =>
          name !== without && (
            <Group
              key={name}
              name={name}
              title={title}
              values={counted.get(name) ?? []}
              chosen={search[name]}
              onChoose={(value) => onChange({ [name]: value })}
            />
          ),
      )}
      <label className="choice">
        <input
          type="checkbox"
          checked={search.deleted === 'true'}
          onChange={(event) => onChange({ deleted: event.target.checked ? 'true' : undefined })}
        />
        <span className="choice-name">Deleted</span>
      </label>
    </aside>
  )
}

/** What a search is narrowed by at the moment; each can be taken away. */
export const Chosen = ({ search, without, onChange }: FacetsProps) => {
  const counted = useFacets(search)
  const chosen = facets.flatMap(({ name, title }) => {
    const value = search[name]
    if (value === undefined || name === without) return []
    const facet = counted.get(name)?.find((each) => each.value === value) ?? { value }
    return [{ name, title, label: labelOf(name, facet) }]
  })
  if (chosen.length === 0 && search.deleted !== 'true') return null
  return (
    <div className="chosen" role="group" aria-label="Chosen filters">
      {chosen.map(({ name, title, label }) => (
        <Button
          key={name}
          look="quiet"
          icon="close"
          title={`Remove the filter ${title.toLowerCase()} ${label}`}
          onClick={() => onChange({ [name]: undefined })}
        >
          {title}: {label}
        </Button>
      ))}
      {search.deleted === 'true' && (
        <Button look="quiet" icon="close" onClick={() => onChange({ deleted: undefined })}>
          Deleted
        </Button>
      )}
      <Button look="quiet" onClick={() => onChange(noFilters)}>
        Clear all filters
      </Button>
    </div>
  )
}
