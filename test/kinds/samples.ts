import type { JsonObject } from '../../src/shared/json.ts'
import { buildFqn, childFqn } from '../../src/kinds/names.ts'
import { assetKinds } from '../../src/kinds/registry/kinds.ts'

/** FQNs of the entities that a sample refers to, by kind. */
export type Parents = Readonly<Record<string, string>>

/** Create requests of one kind, valid once what they refer to exists. */
export interface Sample {
  /** Required members alone. */
  readonly minimal: JsonObject
  /** Every member that a request can set. */
  readonly full: JsonObject
}

interface Recipe {
  /** Kinds that a minimal request refers to; each comes after what it needs itself. */
  readonly needs: readonly string[]
  /** Kinds that a full request refers to beyond these and beyond the common ones. */
  readonly also?: readonly string[]
  /** The kind whose FQN the own one begins with. */
  readonly below?: string
  readonly minimal: (parents: Parents) => JsonObject
  readonly full: (parents: Parents) => JsonObject
}

const at = (parents: Parents, kind: string): string => {
  const fqn = parents[kind]
  if (fqn === undefined) throw new Error(`The sample needs the FQN of a ${kind}`)
  return fqn
}

const sourceUrl = 'https://source.example.org/browse?id=1'

const service = (serviceType: string): Recipe => ({
  needs: [],
  minimal: () => ({ serviceType }),
  full: () => ({
    connection: {
      config: {
        type: serviceType,
        hostPort: 'localhost:1234',
        username: 'catalog',
        options: { retries: 3 },
      },
    },
  }),
})

const avro = JSON.stringify({
  type: 'record',
  name: 'Order',
  namespace: 'shop',
  doc: 'An order',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'placed_at', type: { type: 'long', logicalType: 'timestamp-millis' } },
  ],
})

const columns = (tag: string): JsonObject[] => [
  {
    name: 'id',
    dataType: 'bigint',
    constraint: 'PRIMARY_KEY',
    ordinalPosition: 1,
    description: 'Number of it',
    displayName: 'Id',
    profile: { nullCount: 0 },
    customMetrics: [{ name: 'even' }],
  },
  { name: 'amount', dataType: 'DECIMAL', precision: 12, scale: 2, dataTypeDisplay: 'decimal(12,2)', tags: [tag] },
  { name: 'labels', dataType: 'ARRAY', arrayDataType: 'VARCHAR', dataLength: 40, extension: { origin: 'import' } },
  {
    name: 'address',
    dataType: 'STRUCT',
    jsonSchema: '{}',
    children: [
      { name: 'city', dataType: 'STRING' },
      { name: 'zip.code', dataType: 'STRING' },
    ],
  },
]

const schema = {
  schemaType: 'JSON',
  schemaFields: [
    { name: 'id', dataType: 'int', description: 'Number of it' },
    { name: 'lines', dataType: 'ARRAY', children: [{ name: 'sku', dataType: 'STRING' }] },
  ],
}

const inService = (service: string, full: (parents: Parents) => JsonObject, also: readonly string[] = []): Recipe => ({
  needs: [service],
  also,
  below: service,
  minimal: (parents) => ({ service: at(parents, service) }),
  full,
})

const style = { color: '#336699', iconURL: 'https://icons.example.org/a.svg' }

/** What each kind needs and has beyond the members of every kind; order: what is needed comes first. */
const recipes: Readonly<Record<string, Recipe>> = {
  team: {
    needs: [],
    also: ['team'],
    minimal: () => ({}),
    full: (parents) => ({ teamType: 'Department', email: 'team@example.org', parents: [at(parents, 'team')] }),
  },
  user: {
    needs: [],
    also: ['team'],
    minimal: () => ({}),
    full: (parents) => ({
      email: 'ann@example.org',
      isAdmin: false,
      isBot: true,
      profile: { images: {} },
      teams: [at(parents, 'team')],
    }),
  },
  domain: {
    needs: [],
    also: ['user', 'domain'],
    minimal: () => ({}),
    full: (parents) => ({
      domainType: 'Source-aligned',
      parent: at(parents, 'domain'),
      experts: [at(parents, 'user')],
      style,
    }),
  },
  dataProduct: {
    needs: [],
    also: ['user'],
    minimal: () => ({}),
    full: (parents) => ({ experts: [at(parents, 'user')], style }),
  },
  glossary: {
    needs: [],
    minimal: () => ({}),
    full: (parents) => ({ reviewers: [at(parents, 'user')], mutuallyExclusive: true }),
  },
  glossaryTerm: {
    needs: ['glossary'],
    also: ['glossaryTerm'],
    below: 'glossary',
    minimal: (parents) => ({ glossary: at(parents, 'glossary') }),
    full: (parents) => ({
      parent: at(parents, 'glossaryTerm'),
      synonyms: ['client', 'buyer'],
      relatedTerms: [at(parents, 'glossaryTerm')],
      references: [{ name: 'Handbook', endpoint: 'https://handbook.example.org' }],
      style,
      reviewers: [at(parents, 'user')],
      mutuallyExclusive: false,
    }),
  },
  classification: {
    needs: [],
    minimal: () => ({}),
    full: (parents) => ({ mutuallyExclusive: false, provider: 'system', reviewers: [at(parents, 'user')] }),
  },
  tag: {
    needs: ['classification'],
    also: ['tag'],
    below: 'classification',
    minimal: (parents) => ({ classification: at(parents, 'classification') }),
    full: (parents) => ({
      parent: at(parents, 'tag'),
      style,
      disabled: true,
      reviewers: [at(parents, 'user')],
      mutuallyExclusive: true,
    }),
  },
  databaseService: service('Postgres'),
  dashboardService: service('Superset'),
  messagingService: service('Kafka'),
  mlmodelService: service('Mlflow'),
  storageService: service('S3'),
  searchService: service('ElasticSearch'),
  apiService: service('Rest'),
  pipelineService: service('Airflow'),
  database: inService('databaseService', () => ({ retentionPeriod: 'P1Y', sourceUrl })),
  databaseSchema: {
    needs: ['databaseService', 'database'],
    below: 'database',
    minimal: (parents) => ({ database: at(parents, 'database') }),
    full: () => ({ retentionPeriod: 'P1Y', sourceUrl }),
  },
  table: {
    needs: ['databaseService', 'database', 'databaseSchema'],
    below: 'databaseSchema',
    minimal: (parents) => ({ databaseSchema: at(parents, 'databaseSchema') }),
    full: (parents) => ({
      columns: columns(at(parents, 'tag')),
      tableType: 'View',
      schemaDefinition: 'select 1',
      locationPath: 's3://lake/orders',
      fileFormat: 'parquet',
      processedLineage: true,
      tablePartition: { columns: [{ columnName: 'id', interval: 'DAY' }] },
      retentionPeriod: 'P1Y',
      sourceUrl,
      tableConstraints: [
        {
          constraintType: 'FOREIGN_KEY',
          columns: ['id'],
          referredColumns: ['other.id'],
          relationshipType: 'MANY_TO_ONE',
        },
      ],
      usageSummary: { dailyStats: { count: 3, percentileRank: 12.5 }, date: '2024-01-31' },
    }),
  },
  storedProcedure: {
    needs: ['databaseService', 'database', 'databaseSchema'],
    below: 'databaseSchema',
    minimal: (parents) => ({
      databaseSchema: at(parents, 'databaseSchema'),
      storedProcedureCode: { code: 'select 1' },
    }),
    full: () => ({
      storedProcedureCode: { language: 'SQL', code: 'select 2' },
      storedProcedureType: 'StoredProcedure',
      processedLineage: true,
      sourceUrl,
    }),
  },
  topic: inService('messagingService', () => ({
    messageSchema: { schemaType: 'Avro', schemaText: avro },
    partitions: 12,
    cleanupPolicies: ['delete', 'compact'],
    replicationFactor: 3,
    retentionTime: 86_400_000,
    maximumMessageSize: 1_048_576,
    minimumInSyncReplicas: 2,
    retentionSize: 1_000_000_000,
    topicConfig: { 'min.cleanable.dirty.ratio': '0.5' },
    sourceUrl,
  })),
  chart: inService('dashboardService', () => ({ chartType: 'Bar', sourceUrl })),
  dashboard: inService(
    'dashboardService',
    (parents) => ({ dashboardType: 'Report', project: 'Sales', charts: [at(parents, 'chart')], sourceUrl }),
    ['chart'],
  ),
  pipeline: inService('pipelineService', (parents) => ({
    tasks: [
      {
        name: 'read',
        startDate: '2026-01-01',
        endDate: '2026-12-31',
        taskType: 'Sensor',
        description: 'Waits',
        downstreamTasks: ['write'],
        tags: [at(parents, 'tag')],
        owners: [{ name: 'ann' }],
      },
      { name: 'write', displayName: 'Write', taskSQL: 'insert into a select * from b', sourceUrl },
    ],
    scheduleInterval: '@daily',
    concurrency: 2,
    startDate: '2026-01-01',
    pipelineLocation: 's3://lake/jobs/orders.py',
    state: 'Active',
    sourceUrl,
  })),
  query: {
    needs: ['databaseService'],
    also: ['database', 'databaseSchema', 'table'],
    below: 'databaseService',
    minimal: (parents) => ({ service: at(parents, 'databaseService'), query: 'select 1' }),
    full: (parents) => ({
      queryUsedIn: [at(parents, 'table')],
      duration: 1.5,
      queryDate: 1_767_225_600_000,
      processedLineage: true,
      sourceUrl,
    }),
  },
  mlmodel: inService(
    'mlmodelService',
    (parents) => ({
      algorithm: 'Gradient boosting',
      target: 'churn',
      server: 'https://models.example.org/churn',
      dashboard: at(parents, 'dashboard'),
      sourceUrl,
      mlFeatures: [
        {
          name: 'age',
          dataType: 'numerical',
          description: 'In years',
          featureAlgorithm: 'none',
          featureSources: [{ name: 'age', dataType: 'integer', dataSource: { type: 'table' }, tags: [] }],
        },
      ],
      mlHyperParameters: [{ name: 'depth', value: '6', description: 'Of a tree' }],
      mlStore: { storage: 's3://models', imageRepository: 'registry/churn' },
    }),
    ['dashboardService', 'dashboard'],
  ),
  apiCollection: inService('apiService', () => ({ endpointURL: 'https://api.example.org/v1', sourceUrl })),
  apiEndpoint: {
    needs: ['apiService', 'apiCollection'],
    below: 'apiCollection',
    minimal: (parents) => ({ apiCollection: at(parents, 'apiCollection') }),
    full: () => ({
      endpointURL: 'https://api.example.org/v1/orders/{id}',
      requestMethod: 'POST',
      requestSchema: schema,
      responseSchema: schema,
      sourceUrl,
    }),
  },
  container: inService(
    'storageService',
    (parents) => ({
      parent: at(parents, 'container'),
      dataModel: { isPartitioned: true, columns: columns(at(parents, 'tag')) },
      prefix: '/orders',
      numberOfObjects: 12,
      size: 3.5e9,
      fileFormats: ['parquet', 'csv'],
      fullPath: 's3://lake/orders',
      sourceUrl,
    }),
    ['container'],
  ),
  searchIndex: inService('searchService', () => ({
    fields: [
      { name: 'title', dataType: 'text', description: 'Shown first' },
      { name: 'author', dataType: 'OBJECT', children: [{ name: 'name', dataType: 'KEYWORD' }] },
    ],
    searchIndexSettings: { number_of_shards: 3 },
    indexType: 'Index',
    sourceUrl,
  })),
  testDefinition: {
    needs: [],
    minimal: () => ({}),
    full: () => ({
      entityType: 'column',
      testPlatforms: ['Soda'],
      supportedDataTypes: ['int', 'BIGINT'],
      dataQualityDimension: 'Accuracy',
      parameterDefinition: [
        { name: 'least', displayName: 'Least', dataType: 'INT', required: true, description: 'Least value' },
        { name: 'most', optionValues: ['1'], validationRule: { rule: 'EQUALS' } },
      ],
    }),
  },
  testSuite: { needs: [], minimal: () => ({}), full: () => ({}) },
  testCase: {
    needs: ['databaseService', 'database', 'databaseSchema', 'table', 'testDefinition', 'testSuite'],
    below: 'table',
    minimal: (parents) => ({
      testDefinition: at(parents, 'testDefinition'),
      testSuite: at(parents, 'testSuite'),
      entityLink: `<#E::table::${at(parents, 'table')}>`,
    }),
    full: () => ({ parameterValues: [{ name: 'least', value: '1' }], incident: { status: 'Open' } }),
  },
  dataContract: {
    needs: ['databaseService', 'database', 'databaseSchema', 'table'],
    also: ['testDefinition', 'testSuite', 'testCase'],
    below: 'table',
    minimal: (parents) => ({ entity: { type: 'table', fullyQualifiedName: at(parents, 'table') } }),
    full: (parents) => ({
      entityStatus: 'Active',
      schema: [{ name: 'id', dataType: 'BIGINT', constraint: 'NOT_NULL', unique: true }],
      semantics: [{ name: 'Paid', description: 'It is paid', rule: 'paid', enabled: true }],
      qualityExpectations: [at(parents, 'testCase')],
      sla: { refreshFrequency: 'P1D', latency: 'PT4H', availability: 99.9 },
      termsOfUse: 'Be kind.',
      security: { policies: [{ accessPolicy: 'analysts' }] },
      reviewers: [at(parents, 'user')],
      effectiveFrom: '2024-01-01',
      effectiveUntil: 1_767_225_600_000,
      sourceUrl,
    }),
  },
  lineage: {
    needs: ['databaseService', 'database', 'databaseSchema', 'table'],
    below: 'table',
    minimal: (parents) => ({ entity: { type: 'table', fullyQualifiedName: at(parents, 'table') } }),
    full: () => ({}),
  },
}

/** Members that a kind keeps as they are sent. */
const keptMembers: Readonly<Record<string, readonly string[]>> = {
  team: ['profile', 'isJoinable', 'defaultRoles', 'policies'],
  user: ['externalId', 'timezone', 'botName', 'roles', 'personas', 'defaultPersona', 'createPasswordType'],
  database: ['default'],
  table: ['dataModel', 'tableProfilerConfig'],
  query: ['users', 'usedBy', 'exclude_usage', 'query_type', 'triggeredBy', 'cost'],
  dashboard: ['dataModels'],
  apiCollection: ['apiEndpoints'],
  glossary: ['provider'],
  glossaryTerm: ['provider'],
  classification: ['autoClassificationConfig'],
  tag: ['provider', 'associatedTags', 'recognizers', 'autoClassificationEnabled', 'autoClassificationPriority'],
  dataProduct: ['lifecycleStage'],
  testDefinition: [
    'provider',
    'enabled',
    'supportedServices',
    'sqlExpression',
    'validatorClass',
    'supportsRowLevelPassedFailed',
    'supportsDynamicAssertion',
  ],
  testSuite: ['basicEntityReference', 'executableEntityReference', 'dataContract'],
  testCase: ['computePassedFailedRowCount', 'useDynamicAssertion', 'createdBy', 'topDimensions', 'dimensionColumns'],
  ...Object.fromEntries(
    ['database', 'dashboard', 'messaging', 'mlmodel', 'storage', 'search', 'api', 'pipeline'].map((what) => [
      `${what}Service`,
      ['ingestionRunner'],
    ]),
  ),
}

/** Every kind that has samples; what is needed comes first. */
export const sampleKinds: readonly string[] = Object.keys(recipes)

/** Kinds that every full request refers to. */
const commonNeeds = ['user', 'domain', 'classification', 'tag', 'glossary', 'glossaryTerm']

const recipeOf = (kind: string): Recipe => {
  const recipe = recipes[kind]
  if (recipe === undefined) throw new Error(`There is no sample of ${kind}: add one to samples.ts`)
  return recipe
}

const common = (parents: Parents): JsonObject => ({
  displayName: 'Shown name',
  description: 'Some **text**',
  owners: [{ type: 'user', fullyQualifiedName: at(parents, 'user'), inherited: false }],
  domains: [at(parents, 'domain')],
  tags: [
    at(parents, 'tag'),
    { tagFQN: at(parents, 'glossaryTerm'), labelType: 'Derived', appliedAt: '2026-01-01', metadata: { score: 1 } },
  ],
  extension: { costCenter: 42, nested: { list: [1, null] } },
  entityStatus: 'Draft',
  confirmBy: '2099-12-31',
})

/**
 * Requests that create an entity named `<kind>_<n>`.
 * @param parents FQNs of what the requests refer to: see {@link prerequisites}. `full` needs those of both lists.
 */
export const sampleFor = (kind: string, n: number | string, parents: Parents): Sample => {
  const recipe = recipeOf(kind)
  const name = `${kind}_${n}`
  const minimal = { name, ...recipe.minimal(parents) }
  return {
    minimal,
    get full() {
      const hash = assetKinds.includes(kind) ? { sourceHash: 'c0ffee', lifeCycle: { created: { timestamp: 1 } } } : {}
      const kept = Object.fromEntries((keptMembers[kind] ?? []).map((member) => [member, { sent: ['as', 1] }]))
      return { ...minimal, ...common(parents), ...hash, ...kept, ...recipe.full(parents) }
    },
  }
}

/** Kinds of the entities that must exist before, each after what it needs itself. */
export const prerequisites = (kind: string, which: keyof Sample = 'minimal'): readonly string[] => {
  const { needs, also = [] } = recipeOf(kind)
  const wanted = new Set([...needs, ...(which === 'full' ? [...also, ...commonNeeds] : [])])
  return sampleKinds.filter((name) => wanted.has(name))
}

/** What to create before an entity of the kind, in order, and the FQNs that come of it. */
export const prepare = (
  kind: string,
  n: number | string,
  which: keyof Sample = 'minimal',
): { first: { kind: string; request: JsonObject }[]; parents: Parents } => {
  const parents: Record<string, string> = {}
  const first = prerequisites(kind, which).map((name) => {
    const request = sampleFor(name, `${n}_above`, parents).minimal
    if (name === 'table') request['columns'] = [{ name: 'id', dataType: 'BIGINT' }]
    if (name === 'testDefinition') request['parameterDefinition'] = [{ name: 'least' }]
    parents[name] = fqnOf(name, `${n}_above`, parents)
    return { kind: name, request }
  })
  return { first, parents }
}

/** FQN of the entity that the minimal request of {@link sampleFor} makes. */
export const fqnOf = (kind: string, n: number | string, parents: Parents): string => {
  const { below } = recipeOf(kind)
  const name = `${kind}_${n}`
  return below === undefined ? buildFqn([name]) : childFqn(at(parents, below), name)
}
