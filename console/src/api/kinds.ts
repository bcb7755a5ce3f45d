import type { IconName } from '../ui/icons.ts'

export type Group =
  | 'databases'
  | 'messaging'
  | 'dashboards'
  | 'pipelines'
  | 'models'
  | 'storage'
  | 'search'
  | 'apis'
  | 'governance'
  | 'quality'
  | 'people'

/** What the console knows of a kind beyond what the API answers. */
export interface Kind {
  readonly name: string
  /** Below `/api/v1/`. */
  readonly path: string
  readonly one: string
  readonly many: string
  readonly icon: IconName
  readonly group: Group
  /** Lists of what stands directly below one of this kind: kind, and the filter that takes its name. */
  readonly below?: readonly (readonly [kind: string, filter: string])[]
  /** Lists of what is about one of this kind, and goes with it. */
  readonly about?: readonly (readonly [kind: string, filter: string])[]
  /** Members that hold columns or fields, each a path. */
  readonly trees?: readonly string[]
  /** Its runs have results, and incidents. */
  readonly results?: boolean
}

const kind = (
  name: string,
  path: string,
  one: string,
  many: string,
  icon: IconName,
  group: Group,
  more: Pick<Kind, 'below' | 'about' | 'trees' | 'results'> = {},
): Kind => ({ name, path, one, many, icon, group, ...more })

export const kinds: readonly Kind[] = [
  kind('databaseService', 'services/databaseServices', 'Database service', 'Database services', 'server', 'databases', {
    below: [
      ['database', 'service'],
      ['query', 'service'],
    ],
  }),
  kind('database', 'databases', 'Database', 'Databases', 'database', 'databases', {
    below: [['databaseSchema', 'database']],
  }),
  kind('databaseSchema', 'databaseSchemas', 'Schema', 'Schemas', 'layers', 'databases', {
    below: [
      ['table', 'databaseSchema'],
      ['storedProcedure', 'databaseSchema'],
    ],
  }),
  kind('table', 'tables', 'Table', 'Tables', 'table', 'databases', {
    trees: ['columns'],
    about: [['testCase', 'entityFQN']],
  }),
  kind('storedProcedure', 'storedProcedures', 'Stored procedure', 'Stored procedures', 'code', 'databases'),
  kind('query', 'queries', 'Query', 'Queries', 'code', 'databases'),
  kind(
    'messagingService',
    'services/messagingServices',
    'Messaging service',
    'Messaging services',
    'server',
    'messaging',
    {
      below: [['topic', 'service']],
    },
  ),
  kind('topic', 'topics', 'Topic', 'Topics', 'topic', 'messaging', { trees: ['messageSchema.schemaFields'] }),
  kind(
    'dashboardService',
    'services/dashboardServices',
    'Dashboard service',
    'Dashboard services',
    'server',
    'dashboards',
    {
      below: [
        ['dashboard', 'service'],
        ['chart', 'service'],
      ],
    },
  ),
  kind('dashboard', 'dashboards', 'Dashboard', 'Dashboards', 'chart', 'dashboards'),
  kind('chart', 'charts', 'Chart', 'Charts', 'chart', 'dashboards'),
  kind('pipelineService', 'services/pipelineServices', 'Pipeline service', 'Pipeline services', 'server', 'pipelines', {
    below: [['pipeline', 'service']],
  }),
  kind('pipeline', 'pipelines', 'Pipeline', 'Pipelines', 'code', 'pipelines'),
  kind('mlmodelService', 'services/mlmodelServices', 'ML model service', 'ML model services', 'server', 'models', {
    below: [['mlmodel', 'service']],
  }),
  kind('mlmodel', 'mlmodels', 'ML model', 'ML models', 'model', 'models'),
  kind('storageService', 'services/storageServices', 'Storage service', 'Storage services', 'server', 'storage', {
    below: [['container', 'parent']],
  }),
  kind('container', 'containers', 'Container', 'Containers', 'bucket', 'storage', {
    below: [['container', 'parent']],
    trees: ['dataModel.columns'],
  }),
  kind('searchService', 'services/searchServices', 'Search service', 'Search services', 'server', 'search', {
    below: [['searchIndex', 'service']],
  }),
  kind('searchIndex', 'searchIndexes', 'Search index', 'Search indexes', 'index', 'search', { trees: ['fields'] }),
  kind('apiService', 'services/apiServices', 'API service', 'API services', 'server', 'apis', {
    below: [['apiCollection', 'service']],
  }),
  kind('apiCollection', 'apiCollections', 'API collection', 'API collections', 'folder', 'apis', {
    below: [['apiEndpoint', 'apiCollection']],
  }),
  kind('apiEndpoint', 'apiEndpoints', 'API endpoint', 'API endpoints', 'endpoint', 'apis', {
    trees: ['requestSchema.schemaFields', 'responseSchema.schemaFields'],
  }),
  kind('domain', 'domains', 'Domain', 'Domains', 'domain', 'governance', {
    below: [
      ['domain', 'parent'],
      ['dataProduct', 'domain'],
    ],
  }),
  kind('dataProduct', 'dataProducts', 'Data product', 'Data products', 'product', 'governance'),
  kind('dataContract', 'dataContracts', 'Data contract', 'Data contracts', 'contract', 'governance', {
    trees: ['schema'],
  }),
  kind('glossary', 'glossaries', 'Glossary', 'Glossaries', 'book', 'governance', {
    below: [['glossaryTerm', 'parent']],
  }),
  kind('glossaryTerm', 'glossaryTerms', 'Glossary term', 'Glossary terms', 'term', 'governance', {
    below: [['glossaryTerm', 'parent']],
  }),
  kind('classification', 'classifications', 'Classification', 'Classifications', 'tags', 'governance', {
    below: [['tag', 'parent']],
  }),
  kind('tag', 'tags', 'Tag', 'Tags', 'tag', 'governance', { below: [['tag', 'parent']] }),
  kind('testSuite', 'dataQuality/testSuites', 'Test suite', 'Test suites', 'suite', 'quality'),
  kind('testCase', 'dataQuality/testCases', 'Test case', 'Test cases', 'check', 'quality', { results: true }),
  kind('lineage', 'lineages', 'Lineage', 'Lineage', 'link', 'quality'),
  kind('testDefinition', 'dataQuality/testDefinitions', 'Test definition', 'Test definitions', 'ruler', 'quality'),
  kind('team', 'teams', 'Team', 'Teams', 'team', 'people'),
  kind('user', 'users', 'Person', 'People', 'user', 'people'),
]

const byName = new Map(kinds.map((each) => [each.name, each]))

/** A kind that the console has not heard of is shown all the same. */
const unknown = (name: string): Kind => kind(name, `${name}s`, name, `${name}s`, 'box', 'governance')

export const kindNamed = (name: string): Kind => byName.get(name) ?? unknown(name)

export const isKind = (name: string): boolean => byName.has(name)

/** `databaseSchema` → `database_schema_search_index`. */
export const indexOf = (name: string): string =>
  `${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_search_index`

const byIndex = new Map(kinds.map(({ name }) => [indexOf(name), name]))

/** The kind of what a search found; a member `entityType` may be the entity's own. */
export const kindOfHit = ({ _index }: { readonly _index: string }): string => byIndex.get(_index) ?? _index

/** Data itself, as against what describes it. */
export const assetKinds = [
  'table',
  'storedProcedure',
  'database',
  'databaseSchema',
  'topic',
  'dashboard',
  'chart',
  'pipeline',
  'query',
  'mlmodel',
  'container',
  'searchIndex',
  'apiCollection',
  'apiEndpoint',
] as const

/** Kinds whose data comes from somewhere and goes somewhere. */
export const lineaged: ReadonlySet<string> = new Set(assetKinds)

/** Kinds that may carry a contract: assets and products. */
export const contracted: ReadonlySet<string> = new Set([...assetKinds, 'dataProduct'])

/** Kinds that no other entity refers to. */
export const unreferenced: ReadonlySet<string> = new Set(['dataContract', 'lineage'])

/** Kinds that are followed and voted on. */
export const social: ReadonlySet<string> = new Set([...assetKinds, 'glossary', 'glossaryTerm', 'domain', 'dataProduct'])

/** Kinds that are made in an entity of this one. */
export const childrenOf = ({ below = [], about = [] }: Kind): string[] => [
  ...new Set([...below, ...about].map(([child]) => child)),
]

/** Colour of each group, as a hue of oklch. */
export const hueOf: Readonly<Record<Group, number>> = {
  databases: 250,
  messaging: 300,
  dashboards: 70,
  pipelines: 130,
  models: 355,
  storage: 195,
  search: 220,
  apis: 275,
  governance: 160,
  quality: 45,
  people: 100,
}
