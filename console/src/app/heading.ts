import { hueOf, kindNamed } from '../api/kinds.ts'
import type { Entity, Hits, Me } from '../api/types.ts'
import { ancestorsOf } from '../entity/parts.ts'
import { formatNumber, formatVersion } from '../ui/format.ts'
import { icons } from '../ui/icons.ts'

/** How many a search finds. */
export const resultCount = ({ value, relation }: Hits['hits']['total']): string =>
  `${formatNumber(value)}${relation === 'gte' ? ' or more' : ''} ${value === 1 ? 'result' : 'results'}`

const made = (name: string, className: string, ...children: readonly (Node | string)[]): HTMLElement => {
  const element = document.createElement(name)
  if (className !== '') element.className = className
  element.append(...children)
  return element
}

const kindIcon = (kind: string, size: number): HTMLElement => {
  const { icon, group } = kindNamed(kind)
  const drawn = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', icons[icon])
  const attributes = { class: 'icon', width: size, height: size, viewBox: '0 0 24 24', 'aria-hidden': true }
  for (const [name, value] of Object.entries(attributes)) drawn.setAttribute(name, String(value))
  drawn.append(path)
  const badge = made('span', 'kind-icon kind-badge', drawn)
  badge.style.setProperty('--hue', String(hueOf[group]))
  return badge
}

const crumbs = (entity: Entity): HTMLElement[] => {
  const steps = ancestorsOf(entity).map(({ name, displayName, fullyQualifiedName }) =>
    made('li', '', made('span', 'entity-link', displayName ?? name ?? fullyQualifiedName)),
  )
  return steps.length === 0 ? [] : [made('div', 'crumbs', made('ol', '', ...steps))]
}

/** The head of an entity's page, as `Header` has it, without what can be done with it. */
export const entityHeading = (kind: string, entity: Entity): HTMLElement => {
  const names = made(
    'p',
    'names',
    made('span', 'kind-name', kindNamed(kind).one),
    made('code', '', entity.fullyQualifiedName),
    made('span', 'badge', `version ${formatVersion(entity.version)}`),
  )
  const title = made(
    'div',
    'entity-title',
    kindIcon(kind, 26),
    made('div', 'entity-names', made('h1', 'editable', entity.displayName ?? entity.name), names),
  )
  return made('article', 'entity', made('header', 'entity-head', ...crumbs(entity), title))
}

export const greeting = (me: Me | undefined): string => `Hello, ${me?.user?.displayName ?? me?.name ?? ''}`

/** The head of the home page, as `HomePage` has it. */
export const homeHeading = (me: Me): HTMLElement =>
  made('div', 'page home', made('header', '', made('h1', '', greeting(me))))

/** The head of the list of a kind, as `ListPage` has it. @param total how many there are, once that is known */
export const listHeading = (kind: string, total: number | undefined): HTMLElement => {
  const count = made('span', 'count', total === undefined ? '' : formatNumber(total))
  const title = made('h1', '', kindIcon(kind, 22), ` ${kindNamed(kind).many} `, count)
  return made('div', 'page list-page', made('header', 'section-head', title))
}

/** The head of a page that is named the same for everybody, as `InboxPage` and its like have it. */
export const titleHeading = (title: string, look: string): HTMLElement =>
  made('div', `page ${look}`, made('h1', '', title))

/** The head of the page of coverage, as `CoveragePage` has it. */
export const coverageHeading = (total: number): HTMLElement => {
  const title = made('h1', '', 'Coverage ', made('span', 'count', formatNumber(total)))
  return made('div', 'page coverage-page', made('header', 'section-head', title))
}

/** The head of a search, as `FindPage` has it, with the place of its filters. */
export const searchHeading = (q: string | undefined, { hits: { total } }: Hits): HTMLElement => {
  const title = made('h1', 'result-count', resultCount(total), ...(q ? [made('span', 'hint', ` for ${q}`)] : []))
  const filters = made('aside', 'facets', made('button', 'button facets-toggle', 'Filters'))
  return made('div', 'page find', filters, made('section', 'results', made('div', 'section-head', title)))
}
