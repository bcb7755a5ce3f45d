import { shownRefs, type State, type View } from './catalog.ts'
import { idOf, keyOf, kindOf, partsOf, type Json, type Key } from './kinds.ts'

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

/** Members that have a value although none was given. */
const haveDefaults = new Set(['domainType'])

const commonValues = ['displayName', 'description', 'extension'] as const

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

/** The keys of shown references; a tag label tells its kind by its source. */
const keysIn = (list: Body): Key[] =>
  ((list ?? []) as Record<string, string>[]).map(({ type, fullyQualifiedName, tagFQN, source }) =>
    tagFQN === undefined
      ? keyOf(type as string, fullyQualifiedName as string)
      : keyOf(source === 'Glossary' ? 'glossaryTerm' : 'tag', tagFQN),
  )

const shownLists: Readonly<Record<string, (body: Body) => Key[]>> = {
  owners: (body) => keysIn(body.owners),
  tags: (body) => keysIn(body.tags),
  domains: (body) => keysIn(body.domains),
  followers: (body) => keysIn(body.followers),
  upVoters: (body) => keysIn(body.votes?.upVoters),
  downVoters: (body) => keysIn(body.votes?.downVoters),
}

/**
 * References that an answer shows must be those of the state. With a view also none may be missing that is there in it;
 * without, the entities that they mean may have gone meanwhile.
 */
const referenceProblems = (body: Body, state: State, view: View | undefined): string[] =>
  Object.entries(shownLists).flatMap(([name, read]) => {
    const refs = state.refs[name] ?? []
    const allowed = refs.map(({ key }) => key)
    const wanted = view === undefined ? [] : shownRefs(view, refs)
    const shown = read(body)
    const strange = shown.filter((key) => !(view === undefined ? allowed : wanted).includes(key))
    const missing = wanted.filter((key) => !shown.includes(key))
    return [
      ...(strange.length === 0 ? [] : [`${name} shows ${strange.join(', ')}`]),
      ...(missing.length === 0 ? [] : [`${name} lacks ${missing.join(', ')}`]),
    ]
  })

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
  ]
}
