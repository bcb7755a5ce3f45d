/** Members of every entity that the catalog answers: no kind has such a field, and no request sets one. */
export const systemMembers: ReadonlySet<string> = new Set([
  'id',
  'name',
  'fullyQualifiedName',
  'version',
  'updatedAt',
  'updatedBy',
  'href',
  'deleted',
  'changeDescription',
  'votes',
])
