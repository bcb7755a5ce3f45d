/* Written by `npm run generate`; do not edit. */

/** Of the shapes that this was made from. */
export const fingerprint = '06b55bdba4a1177d824fec0220c93b4e270831db7761ba3dd7fb4eab6085e18b'

/** The path below `/api/v1/` of each kind. */
export const paths = {
  apiCollection: 'apiCollections',
  apiEndpoint: 'apiEndpoints',
  apiService: 'services/apiServices',
  chart: 'charts',
  classification: 'classifications',
  container: 'containers',
  dashboard: 'dashboards',
  dashboardService: 'services/dashboardServices',
  dataContract: 'dataContracts',
  dataProduct: 'dataProducts',
  database: 'databases',
  databaseSchema: 'databaseSchemas',
  databaseService: 'services/databaseServices',
  domain: 'domains',
  glossary: 'glossaries',
  glossaryTerm: 'glossaryTerms',
  lineage: 'lineages',
  messagingService: 'services/messagingServices',
  mlmodel: 'mlmodels',
  mlmodelService: 'services/mlmodelServices',
  pipeline: 'pipelines',
  pipelineService: 'services/pipelineServices',
  query: 'queries',
  searchIndex: 'searchIndexes',
  searchService: 'services/searchServices',
  storageService: 'services/storageServices',
  storedProcedure: 'storedProcedures',
  table: 'tables',
  tag: 'tags',
  team: 'teams',
  testCase: 'dataQuality/testCases',
  testDefinition: 'dataQuality/testDefinitions',
  testSuite: 'dataQuality/testSuites',
  topic: 'topics',
  user: 'users',
} as const
