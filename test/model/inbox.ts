import { isDeepStrictEqual } from 'node:util'
import { tokenFor } from '../support/service.ts'
import type { State, View } from './catalog.ts'
import type { FeedEvent } from './feed.ts'
import type { Say } from './findings.ts'
import type { Host } from './host.ts'
import { keyOf, parentOf, type Key } from './kinds.ts'
import type { Step } from './operations.ts'
import type { Story } from './order.ts'

/** Events that nobody is told of; of results only failures, and what becomes of an incident. */
const untold = new Set(['Voted', 'FollowerAdded', 'FollowerRemoved', 'Confirmed'])

const isIn = (state: State | undefined, lists: readonly string[], reader: Key): boolean =>
  lists.some((name) => (state?.refs[name] ?? []).some(({ key }) => key === reader))

/** Is it a failure and the newest result, or does it open, resolve or reopen an incident? */
const isBad = (before: State | undefined, after: State | undefined): boolean => {
  const newest = after?.values['latestResult'] as { status: string } | undefined
  const isNew = !isDeepStrictEqual(newest, before?.values['latestResult'])
  const isFailure = isNew && newest !== undefined && newest.status !== 'Success'
  return isFailure || !isDeepStrictEqual(before?.values['incident'], after?.values['incident'])
}

/** Does the event concern a reader, as somebody who owns or follows what it is about? */
export const concerns = (event: FeedEvent, before: View, after: View, reader: Key): boolean => {
  const { key, type } = event
  if (untold.has(type)) return false
  const [was, is] = [before.get(key), after.get(key)]
  // A new life begins without the readers of the one before.
  const states = [was?.life === is?.life ? was : undefined, is] as const
  const isOfIncident = type === 'Updated' && !isDeepStrictEqual(was?.values['incident'], is?.values['incident'])
  const tested = type === 'Validated' || isOfIncident ? [after.get(parentOf(key) as Key)] : []
  if (type === 'Validated' && !isBad(...states)) return false
  const lists = type === 'FellDue' ? ['owners'] : ['owners', 'followers']
  return [...states, ...tested].some((state) => isIn(state, lists, reader))
}

/** What an entity shares with its parent is told with the parent. */
const shared = new Set(['SoftDeleted', 'Restored', 'HardDeleted'])

/** Positions of what a reader is told. */
export const wantedIn = (story: Story, reader: Key): string[] =>
  story.events.flatMap((event, at) => {
    const isToldAbove = shared.has(event.type) && story.isInherited(at)
    return !isToldAbove && concerns(event, story.viewAt(at - 1), story.viewAt(at), reader) ? [event.position] : []
  })

/** Compares an inbox with the events that concern its reader, marks a part of it as read, and looks again. */
export const checkInboxes = async (host: Host, story: Story, steps: readonly Step[], say: Say): Promise<void> => {
  const [, name = ''] = /"fqn":"(w\d+xuser1)"/.exec(JSON.stringify(steps)) ?? []
  if (name === '' || story.events.length === 0) return
  const reader = keyOf('user', name)
  const token = tokenFor(name, ['Admin'])
  const wanted = wantedIn(story, reader)
  const shown = async (query: string): Promise<string[]> => {
    const found: string[] = []
    for (let after: string | undefined; ;) {
      const path = `/v1/inbox?limit=100${query}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`
      const { status, body } = await host.call('GET', path, undefined, { token })
      if (status !== 200) throw new Error(`the inbox answered ${status}: ${JSON.stringify(body)}`)
      for (const { position, concern } of body.data) if (concern !== 'proposed') found.push(position)
      after = body.paging?.after
      if (after === undefined) return found.toReversed()
    }
  }
  const compare = (what: string, told: readonly string[], right: readonly string[]): void => {
    const wrong = [
      ...right.filter((position) => !told.includes(position)).map((position) => `lacks ${position}`),
      ...told.filter((position) => !right.includes(position)).map((position) => `has ${position}`),
    ]
    if (wrong.length > 0)
      say('an inbox has what concerns its reader', `${what}: ${wrong.slice(0, 10).join(', ')}`, reader)
  }
  compare('the inbox', await shown(''), wanted)
  const upTo = wanted[wanted.length >> 1]
  if (upTo === undefined) return
  const { status } = await host.call('PUT', '/v1/inbox/read', JSON.stringify({ upTo }), { token })
  if (status >= 300)
    say('an inbox has what concerns its reader', `marking it up to ${upTo} as read was answered ${status}`)
  compare('what is unread', await shown('&unread=true'), wanted.slice((wanted.length >> 1) + 1))
}
