/** The first level of the tree: what it is called, and the kinds whose entities stand below it. */
export const sections: readonly { readonly title: string; readonly kinds: readonly string[] }[] = [
  { title: 'Databases', kinds: ['databaseService'] },
  { title: 'Messaging', kinds: ['messagingService'] },
  { title: 'Dashboards', kinds: ['dashboardService'] },
  { title: 'ML models', kinds: ['mlmodelService'] },
  { title: 'Storage', kinds: ['storageService'] },
  { title: 'Search', kinds: ['searchService'] },
  { title: 'APIs', kinds: ['apiService'] },
  { title: 'Domains', kinds: ['domain'] },
  { title: 'Glossaries', kinds: ['glossary'] },
  { title: 'Tags', kinds: ['classification'] },
  { title: 'Data quality', kinds: ['testSuite'] },
]
