import type { Json, JsonObject } from '../../src/shared/json.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import type { Random } from '../support/random.ts'
import { prepare, sampleFor, sampleKinds, type Parents } from '../kinds/samples.ts'
import type { Call } from '../support/service.ts'

/** An entity that was there when the attack began. */
export interface Known {
  readonly kind: string
  readonly path: string
  readonly id: string
  readonly fqn: string
}

/** What requests can be about, so that they get further than "there is no such thing". */
export interface World {
  readonly entities: readonly Known[]
  /** Entities of a kind's path; all when there are none. */
  at(path: string): readonly Known[]
  /** A create request that is right, with a name of its own. */
  sample(kind: string, name: string, random: Random): JsonObject
  /** Cursors that answers gave. */
  readonly cursors: string[]
}

const entitiesOfEach = 3

/** Makes some entities of every kind, and what they refer to. A second call brings back what was deleted meanwhile. */
export const populate = async (call: Call): Promise<World> => {
  const entities = new Map<string, Known>()
  const parentsOf = new Map<string, Parents>()
  const put = async (kind: string, request: JsonObject): Promise<void> => {
    const { path } = kindNamed(kind)
    const { status, body } = await call('PUT', `/v1/${path}`, request)
    // An attack has put another one there under a name of its own.
    if (status === 400 && kindNamed(kind).behaviour.identity === 'parent' && /there is already a /.test(body.message))
      return
    if (status >= 300) throw new Error(`${kind} could not be made: ${JSON.stringify(body)}`)
    entities.set(body.id, { kind, path, id: body.id, fqn: body.fullyQualifiedName })
  }
  for (const kind of sampleKinds) {
    const { first, parents } = prepare(kind, `in_${kind}`, 'full')
    parentsOf.set(kind, parents)
    for (const { kind: needed, request } of first) await put(needed, request)
    const count = kindNamed(kind).behaviour.identity === 'parent' ? 1 : entitiesOfEach
    for (let n = 1; n <= count; n += 1) await put(kind, sampleFor(kind, n, parents)[n === 1 ? 'full' : 'minimal'])
  }
  return worldOf([...entities.values()], parentsOf)
}

const worldOf = (entities: readonly Known[], parentsOf: ReadonlyMap<string, Parents>): World => {
  const byPath = Map.groupBy(entities, ({ path }) => path)
  return {
    entities,
    cursors: [],
    at: (path) => byPath.get(path) ?? entities,
    sample: (kind, name, random) => {
      const made = sampleFor(kind, 1, parentsOf.get(kind) ?? {})[random.chance(0.5) ? 'full' : 'minimal']
      return { ...made, name: random.chance(0.3) ? (made['name'] as Json) : name }
    },
  }
}
