import { useRouterState } from '@tanstack/react-router'
import { kinds } from '../api/kinds.ts'
import { sharedMoment } from '../ui/EntityLink.tsx'

/** The kind that stands at the top of the branch of a kind: services for what they hold, glossaries for terms. */
export const rootOf = (kind: string): string => {
  const above = kinds.find(({ name, below = [] }) => name !== kind && below.some(([child]) => child === kind))
  return above === undefined ? kind : rootOf(above.name)
}

/** The entity that the page shows, as one text that compares; empty on other pages. */
export const usePlace = (): string =>
  useRouterState({
    select: ({ matches }) => {
      const { kind, fqn } = (matches.at(-1)?.params ?? {}) as { kind?: string; fqn?: string }
      return kind === undefined || fqn === undefined ? '' : `${kind} ${fqn}`
    },
  })

/** Does the entity of a place stand somewhere below this one? */
export const holdsPlace = (place: string, kind: string, fqn: string): boolean => {
  const [placeKind = ''] = place.split(' ', 1)
  return place.slice(placeKind.length + 1).startsWith(`${fqn}.`) && rootOf(placeKind) === rootOf(kind)
}

/** A name, in double quotes where it holds a dot. */
const part = /^(?:"(?:[^"]|"")*"|[^.]+)/

/**
 * What stands directly below `parent`, or at the top without one, on the way to the entity of a place.
 * @param kind of what is looked for: a list of another kind does not have it
 */
export const stepTo = (place: string, kind: string, parent: string | undefined): string | undefined => {
  const [placeKind = ''] = place.split(' ', 1)
  const fqn = place.slice(placeKind.length + 1)
  const before = parent === undefined ? '' : `${parent}.`
  if (place === '' || rootOf(placeKind) !== rootOf(kind) || !fqn.startsWith(before)) return undefined
  const step = part.exec(fqn.slice(before.length))?.[0]
  if (step === undefined || (before + step === fqn && placeKind !== kind)) return undefined
  return before + step
}

/** The moment that the address names, where it is one of everything; left out, now. */
export const useMoment = (): string | undefined =>
  useRouterState({ select: ({ location }) => sharedMoment((location.search as { asOf?: string }).asOf) })
