/**
 * Members of every entity that the catalog itself answers: no kind has a field of that name, and no request sets one.
 */
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
