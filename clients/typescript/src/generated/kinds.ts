/* Written by `npm run generate`; do not edit. */

/** Of the shapes that this was made from. */
export const fingerprint = '7d19ed5bbd0899d0ee48119696592951d856c05f4a734c3aebffa974e5c408ba'

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
