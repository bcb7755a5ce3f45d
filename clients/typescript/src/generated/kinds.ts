/* Written by `npm run generate`; do not edit. */

/** Of the shapes that this was made from. */
export const fingerprint = '972f63ca7be6e7dc5989d20d04e487606af707b2120a6ecb9b9e074688b1c967'

/** The path below `/api/v1/` of each kind. */
export const paths = {
  apiCollection: 'apiCollections',
  apiEndpoint: 'apiEndpoints',
  apiService: 'services/apiServices',
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
  messagingService: 'services/messagingServices',
  mlmodel: 'mlmodels',
  mlmodelService: 'services/mlmodelServices',
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
