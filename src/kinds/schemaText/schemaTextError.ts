/** A text that is no schema; the message is for whoever wrote it. */
export class SchemaTextError extends Error {
  override readonly name = 'SchemaTextError'
}
