import { HttpError } from './problemDetails.ts'

/** What is mounted on one path, by method in upper case. HEAD is answered where GET is. */
interface Resource<T> {
  readonly template: string
  /** Names of the parameters, in the order in which they stand in the path. */
  readonly names: readonly string[]
  readonly methods: Map<string, T>
}

/** A path below a `{fqn}`: literals, or `undefined` for a parameter. */
interface Tail<T> {
  readonly segments: readonly (string | undefined)[]
  readonly resource: Resource<T>
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter?: Node<T>
  /** Longest first. */
  readonly tails: Tail<T>[]
  resource?: Resource<T>
}

export type Match<T> =
  | { readonly found: 'route'; readonly value: T; readonly params: Readonly<Record<string, string>> }
  | { readonly found: 'path'; readonly allow: string }
  | { readonly found: 'nothing' }

export interface RouteTable<T> {
  /** @throws Error when the method and path are taken already */
  readonly add: (method: string, template: string, value: T) => void
  /**
   * Finds what is mounted for a path of the request line, without its query. Literals beat parameters; `{fqn}` and
   * `{tile}` may take more than one segment. @throws HttpError BAD_REQUEST for malformed percent escapes and NUL
   */
  readonly find: (method: string, path: string) => Match<T>
}

const newNode = <T>(): Node<T> => ({ literals: new Map(), tails: [] })

/** Parameters that take more than one segment. */
const tails: ReadonlySet<string> = new Set(['fqn', 'tile'])

const parameterName = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1]

const noParams = Object.freeze({})

/** A tree of path segments, so that finding a route costs the length of its path, however many routes there are. */
export const makeRouteTable = <T>(): RouteTable<T> => {
  const root = newNode<T>()

  const add = (method: string, template: string, value: T): void => {
    const segments = template.split('/').slice(1)
    const resource = resourceAt(root, template, segments)
    if (resource.methods.has(method)) {
      throw new Error(`${method} ${template} is mounted twice (as ${resource.template})`)
    }
    resource.methods.set(method, value)
  }

  const find = (method: string, path: string): Match<T> => {
    const segments = segmentsOf(path)
    const values: string[] = []
    const resource = search(root, segments, 0, values)
    if (resource === undefined) return { found: 'nothing' }
    const value = resource.methods.get(method) ?? (method === 'HEAD' ? resource.methods.get('GET') : undefined)
    if (value === undefined) return { found: 'path', allow: allowOf(resource) }
    return { found: 'route', value, params: paramsOf(resource, values) }
  }

  return { add, find }
}

const resourceAt = <T>(root: Node<T>, template: string, segments: readonly string[]): Resource<T> => {
  const names = segments.map(parameterName).filter((name) => name !== undefined)
  const made: Resource<T> = { template, names, methods: new Map() }
  let node = root
  for (const [index, segment] of segments.entries()) {
    const name = parameterName(segment)
    if (name !== undefined && tails.has(name)) return tailAt(node, segments.slice(index + 1), made)
    if (name === undefined) {
      let next = node.literals.get(segment)
      if (next === undefined) node.literals.set(segment, (next = newNode()))
      node = next
    } else {
      node = node.parameter ??= newNode()
    }
  }
  return (node.resource ??= made)
}

const tailAt = <T>(node: Node<T>, rest: readonly string[], made: Resource<T>): Resource<T> => {
  const segments = rest.map((segment) => (parameterName(segment) === undefined ? segment : undefined))
  const known = node.tails.find((tail) => tail.segments.join('/') === segments.join('/'))
  if (known !== undefined) return known.resource
  node.tails.push({ segments, resource: made })
  node.tails.sort((a, b) => b.segments.length - a.segments.length)
  return made
}

const segmentsOf = (path: string): string[] => {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length
  const segments = path.slice(1, end).split('/')
  if (!path.includes('%')) return segments
  try {
    const decoded = segments.map(decodeURIComponent)
    if (decoded.some((segment) => segment.includes('\0')))
      throw new HttpError('BAD_REQUEST', 'The path must not hold NUL.')
    return decoded
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new HttpError('BAD_REQUEST', 'The path holds a percent escape that is malformed or no UTF-8.')
  }
}

const search = <T>(
  node: Node<T>,
  segments: readonly string[],
  at: number,
  values: string[],
): Resource<T> | undefined => {
  if (at === segments.length) return node.resource
  const segment = segments[at] as string
  const literal = node.literals.get(segment)
  if (literal !== undefined) {
    const found = search(literal, segments, at + 1, values)
    if (found !== undefined) return found
  }
  if (segment !== '' && node.parameter !== undefined) {
    values.push(segment)
    const found = search(node.parameter, segments, at + 1, values)
    if (found !== undefined) return found
    values.pop()
  }
  return node.tails.length === 0 ? undefined : searchTails(node.tails, segments, at, values)
}

const searchTails = <T>(
  tails: readonly Tail<T>[],
  segments: readonly string[],
  at: number,
  values: string[],
): Resource<T> | undefined => {
  for (const tail of tails) {
    const from = segments.length - tail.segments.length
    const fqn = segments.slice(at, Math.max(at, from)).join('/')
    if (
      fqn === '' ||
      !tail.segments.every((expected, index) => expected === undefined || expected === segments[from + index])
    )
      continue
    values.push(fqn)
    for (const [index, expected] of tail.segments.entries()) {
      if (expected === undefined) values.push(segments[from + index] as string)
    }
    return tail.resource
  }
  return undefined
}

const allowOf = <T>(resource: Resource<T>): string =>
  [...resource.methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')

const paramsOf = <T>(resource: Resource<T>, values: readonly string[]): Readonly<Record<string, string>> => {
  if (resource.names.length === 0) return noParams
  const params: Record<string, string> = {}
  resource.names.forEach((name, index) => {
    params[name] = values[index] as string
  })
  return params
}
