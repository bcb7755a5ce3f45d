/* Written by `npm run generate`; do not edit. */

/** Of the shapes that this was made from. */
export const fingerprint = 'de3432166abe199d992c02b48b8604dc28f0e9e0c6e4840fe4eae4dc52135486'

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
