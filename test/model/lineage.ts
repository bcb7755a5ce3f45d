import { isDeepStrictEqual } from 'node:util'
import type { Random } from '../support/random.ts'
import { incarnationKey, isThere, type Ref, type State, type View } from './catalog.ts'
import type { Say } from './findings.ts'
import type { Host } from './host.ts'
import { idOf, parentOf, partsOf, type Key } from './kinds.ts'
import type { Operation } from './operations.ts'
import type { Story } from './order.ts'
import { forEachOf, type Body } from './quiet.ts'

type Statement = Operation & { do: 'state' }

const statedBefore = (before: State | undefined, { source }: Statement): readonly Ref[] =>
  before === undefined || before.status === 'gone' ? [] : (before.refs[source] ?? [])

/** Edges of which those that stand already stay as they are; the others begin. */
export const standing = (before: readonly Ref[], wanted: readonly Ref[], at: number): Ref[] =>
  wanted.map(({ key, life, sql }) => {
    const old = before.find((ref) => ref.key === key && ref.life === life && ref.sql === sql)
    return old ?? { key, life, sql, at }
  })

/** What a source states after a request. */
export const statedRefs = (view: View, before: State | undefined, wanted: Statement, at: number): readonly Ref[] => {
  const refs = wanted.edges.map(({ from: key, sql }): Ref => ({ key, life: incarnationKey(view, key), sql }))
  return standing(statedBefore(before, wanted), refs, at)
}

/** Has the source stated just that? The first statement begins the lineage, also where it states nothing. */
export const isStated = (view: View, before: State | undefined, wanted: Statement): boolean => {
  const after = statedRefs(view, before, wanted, -1)
  return (
    before !== undefined &&
    before.status !== 'gone' &&
    after.length === statedBefore(before, wanted).length &&
    after.every(({ at }) => at !== -1)
  )
}

/** Sources whose edges have ended, because the lineage was deleted by itself: they begin again when it comes back. */
export const silentIn = ({ values }: State): readonly string[] => (values['silent'] ?? []) as string[]

/** A lineage that was deleted by itself, and not along with its asset. */
export const silenced = (state: State): State => {
  const silent = Object.keys(state.refs).filter((source) => state.refs[source]?.length !== 0)
  return partsOf(state.key).kind === 'lineage' ? { ...state, values: { silent } } : state
}

interface Edge {
  readonly up: Key
  readonly down: Key
  readonly source: string
  readonly sql: string | undefined
  /** Place of the event that began it. */
  readonly at: number
}

/** All edges of a catalog: both ends are there, in the lives that were meant. */
const edgesIn = (view: View, lineages: readonly Key[]): Edge[] =>
  lineages.flatMap((lineage) => {
    const [state, down] = [view.get(lineage), parentOf(lineage) as Key]
    if (state === undefined || state.status === 'gone' || !isThere(view, down)) return []
    const spoken = Object.entries(state.refs).filter(([source]) => !silentIn(state).includes(source))
    return spoken.flatMap(([source, refs]) =>
      refs
        .filter(({ key, life }) => isThere(view, key) && incarnationKey(view, key) === life)
        .map(({ key: up, sql, at = -1 }) => ({ up, down, source, sql, at })),
    )
  })

interface Question {
  readonly start: Key
  readonly up: number
  readonly down: number
  readonly source: string | undefined
}

/** What a lineage must show: everything so many steps up, and so many down, and the edges along these steps. */
export const lineageIn = (view: View, lineages: readonly Key[], { start, source, ...depths }: Question) => {
  const all = edgesIn(view, lineages).filter((edge) => source === undefined || edge.source === source)
  const nodes = new Map<Key, number>([[start, 0]])
  const edges = new Set<Edge>()
  for (const [side, other, sign] of [
    ['up', 'down', -1],
    ['down', 'up', 1],
  ] as const) {
    const seen = new Set([start])
    for (let [depth, last] = [1, new Set([start])]; depth <= depths[side]; depth++) {
      const steps = all.filter((edge) => last.has(edge[other]))
      last = new Set(steps.map((edge) => edge[side]).filter((key) => !seen.has(key)))
      for (const edge of steps) edges.add(edge)
      for (const key of last) seen.add(key)
      for (const key of last) if (!nodes.has(key)) nodes.set(key, sign * depth)
    }
  }
  return { nodes, edges: [...edges] }
}

const sorted = (lines: readonly string[]): readonly string[] => lines.toSorted()

/** Asks for a lineage at a moment; no moment is now. */
const checkOne = async (
  { host, story, say }: Asking,
  question: Question,
  { view, moment }: { readonly view: View; readonly moment: string | undefined },
): Promise<void> => {
  const { start, up, down, source } = question
  const { kind } = partsOf(start)
  const asOf = moment === undefined ? '' : `&asOf=@${moment}`
  const only = source === undefined ? '' : `&source=${source}`
  const path = `/v1/lineage/${kind}/${idOf(start)}?up=${up}&down=${down}&columns=true${only}${asOf}`
  const { status, body } = await host.call('GET', path)
  const wanted = isThere(view, start) ? 200 : 404
  if (status !== wanted) return say('lineage is what was stated then', `${path} is answered ${status}`, start)
  if (status === 404) return
  const found = lineageIn(view, [...story.states.keys()].filter(isLineage), question)
  const expected = [
    ...[...found.nodes].map(([key, depth]) => `${key} ${view.get(key)?.status === 'deleted'} ${depth}`),
    ...found.edges.map(({ up: from, down: to, source: by, sql, at }) =>
      [idOf(from), idOf(to), by, sql ?? '', story.events[at]?.position].join(' '),
    ),
  ]
  const shown = [
    ...body.nodes.map(
      ({ type, fullyQualifiedName, deleted, depth }: Body) =>
        `${type} ${fullyQualifiedName} ${deleted === true} ${depth}`,
    ),
    ...body.edges.map(({ from, to, source: by, sql, since }: Body) =>
      [from, to, by, sql ?? '', since.position].join(' '),
    ),
  ]
  if (isDeepStrictEqual(sorted(shown), sorted(expected))) return
  const missing = expected.filter((line) => !shown.includes(line))
  const strange = shown.filter((line) => !expected.includes(line))
  say(
    'lineage is what was stated then',
    `${path} lacks ${missing.join(', ') || 'nothing'} and has ${strange.join(', ') || 'nothing'} besides`,
    start,
  )
}

interface Asking {
  readonly host: Host
  readonly story: Story
  readonly say: Say
}

const isLineage = (key: Key): boolean => partsOf(key).kind === 'lineage'

/** Asks a quiet catalog where the data of everything came from and went, now and after some of the events. */
export const checkLineage = async (asking: Asking, random: Random, share: number): Promise<void> => {
  const { story } = asking
  const lineages = [...story.states.keys()].filter(isLineage)
  const assets = new Set(
    lineages.flatMap((key) => [
      parentOf(key) as Key,
      ...(story.states.get(key) ?? []).flatMap(({ refs }) =>
        Object.values(refs).flatMap((some) => some.map((ref) => ref.key)),
      ),
    ]),
  )
  await forEachOf([...assets], async (start) => {
    const source = random.chance(0.2) ? random.pick(['manual', 'dbt']) : undefined
    const question = { start, up: random.between(0, 3), down: random.between(0, 3), source }
    await checkOne(asking, question, { view: story.viewThen(Infinity), moment: undefined })
    for (const [at, { position }] of story.events.entries())
      if (random.chance((share * 8) / story.events.length))
        await checkOne(asking, question, { view: story.viewThen(at), moment: position })
  })
}
