/** Stands between the tags and the owners in {@link labelsText}; no FQN is empty, so there is no other empty line. */
const between = '\n\n'

/** The FQNs of tags and owners as one text, each on a line, with an empty line between the two. */
export const labelsText = (tags: readonly string[], owners: readonly string[]): string =>
  tags.length + owners.length === 0 ? '' : tags.join('\n') + between + owners.join('\n')

/** What {@link labelsText} was made of: the lines of tags, and those of owners. */
export const labelsIn = (text: string): { readonly tags: string; readonly owners: string } => {
  const [tags = '', owners = ''] = text.split(between)
  return { tags, owners }
}
