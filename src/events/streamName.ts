/** `<kind>-<id>`: the category is the kind, so that EventStoreDB's category projections work as they are. */
export const streamName = (kind: string, id: string): string => `${kind}-${id}`

/** The kind and id that a stream name holds. Kinds have no dash. */
export const parseStreamName = (stream: string): { kind: string; id: string } => {
  const dash = stream.indexOf('-')
  return { kind: stream.slice(0, dash), id: stream.slice(dash + 1) }
}
