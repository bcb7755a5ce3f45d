/* Written by `npm run generate`; do not edit. */

/** Of the shapes that this was made from. */
export const fingerprint = '4e0f1ae52a81f8ebdd0f5e48086fc3c443fc4cf4d4ce68d0646a422f51cd18e3'

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
