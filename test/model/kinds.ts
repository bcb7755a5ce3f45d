import { entityId } from '../../src/kinds/names.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
export type Members = Readonly<Record<string, Json>>

/** What the checker knows of a kind, written down once more: nothing of it is taken from the service. */
export interface ModelKind {
  readonly path: string
  /** Kind of the parent, by the parts of the FQN. */
  readonly above: (fqn: readonly string[]) => string | undefined
  /** Members of a create request that say where the entity stands. */
  readonly place: (fqn: readonly string[]) => Members
  /** The list parameter that gives what stands below a parent (`parent`), or below the first part of the FQN (`root`). */
  readonly filter?: { readonly name: string; readonly by: 'parent' | 'root' }
  readonly bulk?: boolean
  /** Has followers and votes. */
  readonly social?: boolean
  /** Goes and comes with its parent, and does not make that one "not empty". */
  readonly dependent?: boolean
  /** Members that are always sent. */
  readonly required?: (fqn: readonly string[]) => Members
  /** Members of its own that may be set and cleared, with values to choose from. */
  readonly own?: Readonly<Record<string, readonly Json[]>>
}

const joined = (parts: readonly string[]): string => parts.join('.')
const parentFqn = (fqn: readonly string[]): string => joined(fqn.slice(0, -1))

const root = (path: string, more: Partial<ModelKind> = {}): ModelKind => ({
  path,
  above: () => undefined,
  place: () => ({}),
  ...more,
})

const service = (kind: string, serviceType: string): ModelKind =>
  root(`services/${kind}s`, { bulk: true, required: () => ({ serviceType }) })

const child = (path: string, kind: string, field: string, more: Partial<ModelKind> = {}): ModelKind => ({
  path,
  above: () => kind,
  place: (fqn) => ({ [field]: parentFqn(fqn) }),
  filter: { name: field, by: 'parent' },
  ...more,
})

const asset = (path: string, kind: string, field: string, more: Partial<ModelKind> = {}): ModelKind =>
  child(path, kind, field, { bulk: true, social: true, ...more })

/** Kinds that stand below a root, or below one another. */
const nested = (
  path: string,
  kind: string,
  rootKind: string,
  field: string,
  more: Partial<ModelKind> = {},
): ModelKind => ({
  path,
  above: ({ length }) => (length === 2 ? rootKind : kind),
  place: (fqn) => ({ [field]: fqn[0] as string, ...(fqn.length > 2 && { parent: parentFqn(fqn) }) }),
  filter: { name: field, by: 'root' },
  ...more,
})

/** What test cases and contracts stand on: tables have four parts, topics two. */
const tested = ({ length }: readonly string[]): string => (length === 3 ? 'topic' : 'table')

const columnSets: readonly Json[] = [
  [{ name: 'a', dataType: 'INT' }],
  [
    { name: 'a', dataType: 'INT' },
    { name: 'b', dataType: 'STRING' },
  ],
  [
    { name: 'a', dataType: 'BIGINT' },
    { name: 'b', dataType: 'STRING', description: 'second' },
  ],
]

export const modelKinds: Readonly<Record<string, ModelKind>> = {
  databaseService: service('databaseService', 'Postgres'),
  dashboardService: service('dashboardService', 'Superset'),
  messagingService: service('messagingService', 'Kafka'),
  mlmodelService: service('mlmodelService', 'Mlflow'),
  storageService: service('storageService', 'S3'),
  searchService: service('searchService', 'OpenSearch'),
  apiService: service('apiService', 'Rest'),
  pipelineService: service('pipelineService', 'Airflow'),
  database: asset('databases', 'databaseService', 'service', { own: { retentionPeriod: ['P1D', 'P1Y'] } }),
  databaseSchema: asset('databaseSchemas', 'database', 'database', { own: { retentionPeriod: ['P1D', 'P1Y'] } }),
  table: asset('tables', 'databaseSchema', 'databaseSchema', {
    own: { columns: columnSets, schemaDefinition: ['select 1', 'select 2'] },
  }),
  storedProcedure: asset('storedProcedures', 'databaseSchema', 'databaseSchema', {
    required: () => ({ storedProcedureCode: { code: 'select 1' } }),
    own: { storedProcedureType: ['Function', 'UDF'] },
  }),
  topic: asset('topics', 'messagingService', 'service', {
    own: { replicationFactor: [1, 2, 3], maximumMessageSize: [1000, 2000] },
  }),
  dashboard: asset('dashboards', 'dashboardService', 'service', { own: { project: ['sales', 'stock'] } }),
  chart: asset('charts', 'dashboardService', 'service', { own: { chartType: ['Bar', 'Line'] } }),
  pipeline: asset('pipelines', 'pipelineService', 'service', { own: { scheduleInterval: ['@daily', '@hourly'] } }),
  query: asset('queries', 'databaseService', 'service', {
    required: () => ({ query: 'select 1' }),
    own: { queryDate: ['2026-01-01', '2026-02-01'] },
  }),
  mlmodel: asset('mlmodels', 'mlmodelService', 'service', {
    own: { algorithm: ['forest', 'boosting'], target: ['churn', 'price'] },
  }),
  container: {
    ...nested('containers', 'container', 'storageService', 'service'),
    bulk: true,
    social: true,
    own: { prefix: ['/a', '/b'], size: [1, 2] },
  },
  searchIndex: asset('searchIndexes', 'searchService', 'service', { own: { indexType: ['Index', 'DataStream'] } }),
  apiCollection: asset('apiCollections', 'apiService', 'service', {
    own: { endpointURL: ['https://a.example', 'https://b.example'] },
  }),
  apiEndpoint: asset('apiEndpoints', 'apiCollection', 'apiCollection', {
    own: { endpointURL: ['https://a.example', 'https://b.example'] },
  }),
  testDefinition: root('dataQuality/testDefinitions', { own: { dataQualityDimension: ['Accuracy', 'Validity'] } }),
  testSuite: root('dataQuality/testSuites'),
  testCase: {
    path: 'dataQuality/testCases',
    above: tested,
    dependent: true,
    place: (fqn) => ({ entityLink: `<#E::table::${parentFqn(fqn)}>` }),
    required: (fqn) => ({ testDefinition: `${worldOf(fqn)}testdefinition1`, testSuite: `${worldOf(fqn)}testsuite1` }),
  },
  glossary: root('glossaries', { social: true }),
  glossaryTerm: nested('glossaryTerms', 'glossaryTerm', 'glossary', 'glossary', {
    social: true,
    own: { synonyms: [['one'], ['one', 'two']] },
  }),
  classification: root('classifications'),
  tag: nested('tags', 'tag', 'classification', 'classification'),
  domain: {
    path: 'domains',
    above: ({ length }) => (length === 1 ? undefined : 'domain'),
    place: (fqn): Members => (fqn.length > 1 ? { parent: parentFqn(fqn) } : {}),
    filter: { name: 'parent', by: 'parent' },
    social: true,
    own: { domainType: ['Source-aligned', 'Consumer-aligned'] },
  },
  dataProduct: root('dataProducts', { social: true }),
  dataContract: {
    path: 'dataContracts',
    above: tested,
    dependent: true,
    place: (fqn) => ({ entity: { type: tested(fqn), fullyQualifiedName: parentFqn(fqn) } }),
    own: { termsOfUse: ['be kind', 'be quick'] },
  },
  /** Called after the kind of its asset. It is stated, and not made otherwise. */
  lineage: {
    path: 'lineages',
    above: (fqn) => fqn.at(-1)?.replace('Lineage', ''),
    dependent: true,
    place: () => ({}),
  },
  user: root('users', { own: { email: ['a@example.org', 'b@example.org'] } }),
  team: root('teams', { own: { email: ['a@example.org', 'b@example.org'] } }),
}

/** The beginning that all names of a world share, e.g. `w3x` of `w3xservice1`. */
const worldOf = (fqn: readonly string[]): string => /^w\d+x/.exec(fqn[0] as string)?.[0] ?? ''

export const kindOf = (name: string): ModelKind => {
  const found = modelKinds[name]
  if (found === undefined) throw new Error(`The model has no kind ${name}.`)
  return found
}

/** `<kind> <FQN>`: what the model calls an entity. */
export type Key = string

export const keyOf = (kind: string, fqn: string): Key => `${kind} ${fqn}`

export const partsOf = (key: Key): { kind: string; fqn: string } => {
  const at = key.indexOf(' ')
  return { kind: key.slice(0, at), fqn: key.slice(at + 1) }
}

export const parentOf = (key: Key): Key | undefined => {
  const { kind, fqn } = partsOf(key)
  const parts = fqn.split('.')
  const above = kindOf(kind).above(parts)
  return above === undefined ? undefined : keyOf(above, parentFqn(parts))
}

/** Everything above, nearest first. */
export const ancestorsOf = (key: Key): Key[] => {
  const above: Key[] = []
  for (let at = parentOf(key); at !== undefined; at = parentOf(at)) above.push(at)
  return above
}

/** Members that name what stands above, and what they name. */
export const namedAbove = (key: Key): [name: string, named: Key][] => {
  const { kind, fqn } = partsOf(key)
  const { filter } = kindOf(kind)
  const parent = parentOf(key)
  if (filter === undefined || parent === undefined) return []
  if (filter.by === 'parent') return [[filter.name, parent]]
  const [above] = ancestorsOf(key).slice(-1) as [Key]
  return [[filter.name, above], ...(fqn.split('.').length > 2 ? [['parent', parent] as [string, Key]] : [])]
}

/** The kind whose entities directly below are shown as `children`. */
export const childKindOf = (key: Key): string | undefined => {
  const { kind } = partsOf(key)
  return ['container', 'glossaryTerm', 'tag', 'domain'].includes(kind) ? kind : undefined
}

/** The id that the catalog documents for an entity: of its kind and natural key. */
export const idOf = (key: Key): string => {
  const { kind, fqn } = partsOf(key)
  return entityId(kind, kind === 'dataContract' || kind === 'lineage' ? idOf(parentOf(key) as Key) : fqn)
}

/** Path of the entity by its id. */
export const pathOf = (key: Key): string => `/v1/${kindOf(partsOf(key).kind).path}/${idOf(key)}`
