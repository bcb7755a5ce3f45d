import { get } from '../api/client.ts'
import { kindNamed, kinds, type Kind } from '../api/kinds.ts'
import { mayDo } from '../api/permissions.ts'
import type { Entity, Me, Page } from '../api/types.ts'
import { formatNumber, inSentence } from '../ui/format.ts'

/** Filters of lists that take the name of something above at any height. */
const scopes: Readonly<Record<string, string>> = {
  databaseService: 'service',
  messagingService: 'service',
  dashboardService: 'service',
  pipelineService: 'service',
  mlmodelService: 'service',
  storageService: 'service',
  searchService: 'service',
  apiService: 'service',
  database: 'database',
  databaseSchema: 'databaseSchema',
  apiCollection: 'apiCollection',
  glossary: 'glossary',
  classification: 'classification',
}

/** Kinds below a kind, at any depth. */
const kindsBelow = (kind: Kind): string[] => {
  const found = new Set<string>()
  const visit = (name: string): void => {
    for (const [child] of kindNamed(name).below ?? []) {
      if (child === 'dataProduct' || found.has(child)) continue
      found.add(child)
      visit(child)
    }
  }
  visit(kind.name)
  return kinds.map(({ name }) => name).filter((name) => found.has(name))
}

/** How many there are of a kind below something. */
export interface Below {
  readonly name: string
  readonly count: number
}

/**
 * For each kind that may be below an entity and that one may see: the key of the question, and the question.
 * @param include `all`: with what is deleted
 */
export const countsBelow = (me: Me | undefined, kind: Kind, fqn: string, include?: 'all') =>
  kindsBelow(kind)
    .filter((name) => mayDo(me, 'view', name))
    .map((name) => ({
      queryKey: ['below', kind.name, fqn, name, include],
      queryFn: async (): Promise<Below> => {
        const query = { [scopes[kind.name] ?? 'parent']: fqn, include, limit: 0 }
        return { name, count: (await get<Page<Entity>>(`/v1/${kindNamed(name).path}`, query)).paging.total }
      },
    }))

/** "2 tables". */
export const belowWords = ({ name, count }: Below): string => {
  const { one, many } = kindNamed(name)
  return `${formatNumber(count)} ${inSentence(count === 1 ? one : many)}`
}
