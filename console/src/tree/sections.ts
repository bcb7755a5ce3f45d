/** The first level of the tree: what it is called, and the kind whose entities stand below it. */
export const sections: readonly { readonly title: string; readonly kind: string }[] = [
  { title: 'Databases', kind: 'databaseService' },
  { title: 'Messaging', kind: 'messagingService' },
  { title: 'Dashboards', kind: 'dashboardService' },
  { title: 'Pipelines', kind: 'pipelineService' },
  { title: 'ML models', kind: 'mlmodelService' },
  { title: 'Storage', kind: 'storageService' },
  { title: 'Search', kind: 'searchService' },
  { title: 'APIs', kind: 'apiService' },
  { title: 'Domains', kind: 'domain' },
  { title: 'Glossaries', kind: 'glossary' },
  { title: 'Tags', kind: 'classification' },
  { title: 'Data quality', kind: 'testSuite' },
]
