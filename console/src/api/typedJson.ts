/**
 * JSON as somebody typed it. It goes to the service as it is: read here, long numbers would be rounded, and of two
 * members with one name the first would be lost, before the service could refuse them.
 */
export class TypedJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What was typed, as JSON; what is none is a text, so that the service says what is wrong with it. */
export const typedJson = (text: string): TypedJson | string => {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return text.isWellFormed() ? new TypedJson(text) : text
}

/** The text of a body. */
export const bodyText = (value: unknown): string => {
  if (value instanceof TypedJson) return value.text
  if (Array.isArray(value)) return `[${value.map((item: unknown) => bodyText(item ?? null)).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${bodyText(member)}`).join()}}`
}

/** The value of a body, as JavaScript has it: to show and to compare. */
export const untyped = (value: unknown): unknown => JSON.parse(bodyText(value))

const ofOperation = /^(?:\/patch)?\/(\d+)\/value/

/** Where a problem of a body is, in the entity where that body is a JSON Patch: `/0/value/size` → `/extension/size`. */
export const placeOf = (path: string, body: unknown): string => {
  const { patch = body } = (body ?? {}) as { patch?: unknown }
  const operations = Array.isArray(patch) ? (patch as readonly { path?: string }[]) : []
  return path.replace(ofOperation, (found, at: string) => operations[Number(at)]?.path ?? found)
}
