import { isThere, shownRefs, statusesOf, type State, type View } from './catalog.ts'
import { tagsOfColumn } from './operations.ts'
import { childKindOf, idOf, keyOf, kindOf, namedAbove, partsOf, type Json, type Key } from './kinds.ts'

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

/** Members that have a value although none was given. */
const haveDefaults = new Set(['domainType'])

const commonValues = [
  'displayName',
  'description',
  'extension',
  'confirmBy',
  'confirmed',
  'due',
  'latestResult',
  'results',
  'incident',
] as const

/** Has `actual` everything that `wanted` has? Lists have as many items. */
const contains = (actual: Json | undefined, wanted: Json): boolean => {
  if (Array.isArray(wanted))
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => contains(actual[index], item))
    )
  if (wanted === null || typeof wanted !== 'object') return actual === wanted
  if (actual === null || actual === undefined || typeof actual !== 'object' || Array.isArray(actual)) return false
  return Object.entries(wanted).every(([name, value]) => contains((actual as Record<string, Json>)[name], value))
}

const isNothing = (value: Json | undefined): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)

const valueProblems = (body: Body, { key, values }: State): string[] => {
  const { kind } = partsOf(key)
  const own = Object.keys(kindOf(kind).own ?? {})
  return [...commonValues, ...own].flatMap((name) => {
    const wanted = values[name]
    const shown = body[name] as Json | undefined
    if (wanted === undefined)
      return isNothing(shown) || haveDefaults.has(name) ? [] : [`${name} is ${JSON.stringify(shown)}, but has no value`]
    const exact =
      name === 'extension' ? contains(shown, wanted) && contains(wanted, shown as Json) : contains(shown, wanted)
    return exact ? [] : [`${name} is ${JSON.stringify(shown)}, not ${JSON.stringify(wanted)}`]
  })
}

type Shown = Readonly<Record<string, Json>>

/** What a shown reference means; a tag label tells its kind by its source. */
const keyIn = ({ type, fullyQualifiedName, tagFQN, source }: Shown): Key =>
  tagFQN === undefined
    ? keyOf(type as string, fullyQualifiedName as string)
    : keyOf(source === 'Glossary' ? 'glossaryTerm' : 'tag', tagFQN as string)

const shownLists: Readonly<Record<string, (body: Body) => readonly Shown[]>> = {
  owners: (body) => body.owners ?? [],
  tags: (body) => body.tags ?? [],
  domains: (body) => body.domains ?? [],
  followers: (body) => body.followers ?? [],
  upVoters: (body) => body.votes?.upVoters ?? [],
  downVoters: (body) => body.votes?.downVoters ?? [],
}

const columnsShown = (body: Body): readonly Body[] => body.columns ?? []

/** Every list of references of an answer, those inside it too, by the name that it has in a state. */
const listsShown = (body: Body): [name: string, shown: readonly Shown[]][] => [
  ...Object.entries(shownLists).map(([name, read]): [string, readonly Shown[]] => [name, read(body)]),
  ...columnsShown(body).map(({ name, tags = [] }): [string, readonly Shown[]] => [tagsOfColumn(name), tags]),
]

/**
 * References that an answer shows must be those of the state. With a view also none may be missing that is there in it;
 * without, the entities that they mean may have gone meanwhile.
 */
const referenceProblems = (body: Body, state: State, view: View | undefined): string[] =>
  listsShown(body).flatMap(([name, list]) => {
    const refs = state.refs[name] ?? []
    const allowed = refs.map(({ key }) => key)
    const wanted = view === undefined ? [] : shownRefs(view, refs)
    const shown = list.map(keyIn)
    const strange = shown.filter((key) => !(view === undefined ? allowed : wanted).includes(key))
    const missing = wanted.filter((key) => !shown.includes(key))
    return [
      ...(strange.length === 0 ? [] : [`${name} shows ${strange.join(', ')}`]),
      ...(missing.length === 0 ? [] : [`${name} lacks ${missing.join(', ')}`]),
    ]
  })

/** What one reference shows must be what its entity is in the view: its name, whether it is deleted, its label. */
const oneProblem = (view: View, place: string, shown: Shown): string[] => {
  const key = keyIn(shown)
  const state = view.get(key)
  const isLabel = shown['tagFQN'] !== undefined
  const exact: [string, Json | undefined][] = [
    ['name', partsOf(key).fqn.split('.').at(-1)],
    ...(state === undefined ? [] : [['displayName', state.values['displayName']] as [string, Json | undefined]]),
    ...(isLabel && state !== undefined
      ? [['description', state.values['description']] as [string, Json | undefined]]
      : []),
  ]
  const wrong = exact.filter(([name, value]) => shown[name] !== value)
  const status = shown['deleted'] === true ? 'deleted' : 'live'
  return [
    ...wrong.map(
      ([name, value]) =>
        `${place} shows ${key} with ${name} ${JSON.stringify(shown[name])}, not ${JSON.stringify(value)}`,
    ),
    ...(isLabel || statusesOf(view, key).has(status) ? [] : [`${place} shows ${key} as ${status}`]),
  ]
}

/** What an answer shows of others: who is referred to, what stands above and below, how many there are. */
const othersProblems = (body: Body, { key }: State, view: View): string[] => {
  const lists = listsShown(body)
  const above = namedAbove(key).map(([name, named]) => {
    const shown = body[name] as Shown | undefined
    return { name, named, shown: shown === undefined ? [] : [shown] }
  })
  const lost = above.filter(({ named, shown }) =>
    shown[0] === undefined ? isThere(view, named) : keyIn(shown[0]) !== named,
  )
  const childKind = childKindOf(key)
  const children: readonly Shown[] = childKind === undefined ? [] : (body.children ?? [])
  const below = view.below(key).filter((child) => partsOf(child).kind === childKind)
  const present = below.filter((child) => (view.get(child)?.status ?? 'gone') !== 'gone')
  const told = children.map(keyIn)
  const wrong = [
    ...present.filter((child) => !told.includes(child)),
    ...told.filter((child) => !present.includes(child)),
  ]
  const all = [...lists, ...above.map(({ name, shown }) => [name, shown] as const), ['children', children] as const]
  return [
    ...lost.map(({ name, named, shown }) => `${name} shows ${JSON.stringify(shown[0])}, not ${named}`),
    ...(childKind === undefined ? [] : wrong.map((child) => `children differ in ${child}`)),
    ...all.flatMap(([name, list]) => list.flatMap((shown) => oneProblem(view, name, shown))),
  ]
}

/** How an answer differs from a state of its entity; nothing when it shows just that. */
export const differences = (body: Body, state: State, view?: View): string[] => {
  const { key, version, updatedBy, updatedAt, status } = state
  const { fqn } = partsOf(key)
  const exact: [string, Json][] = [
    ['id', idOf(key)],
    ['fullyQualifiedName', fqn],
    ['name', fqn.split('.').at(-1) as string],
    ['version', version / 10],
    ['updatedBy', updatedBy],
    ['updatedAt', updatedAt],
    ['deleted', status === 'deleted'],
  ]
  return [
    ...exact
      .filter(([name, value]) => body[name] !== value)
      .map(([name, value]) => `${name} is ${JSON.stringify(body[name])}, not ${JSON.stringify(value)}`),
    ...valueProblems(body, state),
    ...referenceProblems(body, state, view),
    ...(view === undefined ? [] : othersProblems(body, state, view)),
  ]
}
