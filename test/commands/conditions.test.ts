import { describe, expect, test } from 'vitest'
import {
  adding,
  beforeNextAppend,
  creating,
  engines,
  following,
  openWriteSide,
  outcomeOf,
  patching,
  removing,
  upserting,
  voting,
  type Ask,
} from '../support/writeSide.ts'
import type { DomainErrorCode } from '../../src/commands/errors.ts'
import type { JsonObject } from '../../src/shared/json.ts'

const team = (fullyQualifiedName: string): JsonObject => ({ type: 'team', fullyQualifiedName })

const string = (name: string): JsonObject => ({ name, dataType: 'STRING' })

const service = creating('databaseService', 's', { serviceType: 'Mysql' })

const table = [
  service,
  creating('database', 's.d'),
  creating('databaseSchema', 's.d.c'),
  creating('table', 's.d.c.t', { columns: [string('a'), string('b')] }),
]

const dropping = patching('table', 's.d.c.t', { columns: [string('a')] })

const gone = (kind: string, fqn: string): Ask => removing(kind, fqn, { hard: true })

interface Race {
  readonly given: readonly Ask[]
  readonly meanwhile: Ask
  readonly asked: Ask
  readonly refused: DomainErrorCode
  /** What is asked for is as it was before. */
  readonly unchanged: readonly [kind: string, fqn: string]
}

const races: Readonly<Record<string, Race>> = {
  'a team goes below one that goes below it': {
    given: [creating('team', 'x'), creating('team', 'y')],
    meanwhile: patching('team', 'y', { parents: [team('x')] }),
    asked: patching('team', 'x', { parents: [team('y')] }),
    refused: 'invalid',
    unchanged: ['team', 'x'],
  },
  'something gets an owner who goes': {
    given: [creating('team', 'x')],
    meanwhile: gone('team', 'x'),
    asked: creating('databaseService', 's', { serviceType: 'Mysql', owners: [team('x')] }),
    refused: 'invalid',
    unchanged: ['databaseService', 's'],
  },
  'something is given to an owner who goes': {
    given: [creating('team', 'x'), service],
    meanwhile: gone('team', 'x'),
    asked: patching('databaseService', 's', { owners: [team('x')] }),
    refused: 'invalid',
    unchanged: ['databaseService', 's'],
  },
  'something comes into a domain that goes': {
    given: [creating('domain', 'x')],
    meanwhile: gone('domain', 'x'),
    asked: creating('databaseService', 's', { serviceType: 'Mysql', domains: ['x'] }),
    refused: 'invalid',
    unchanged: ['databaseService', 's'],
  },
  'a contract promises a column that goes': {
    given: table,
    meanwhile: dropping,
    asked: creating('dataContract', 's.d.c.t.k', {
      entity: { type: 'table', fullyQualifiedName: 's.d.c.t' },
      schema: [string('b')],
    }),
    refused: 'invalid',
    unchanged: ['dataContract', 's.d.c.t.k'],
  },
  'two tags come to exclude each other': {
    given: [creating('classification', 'c'), creating('tag', 'c.a'), creating('tag', 'c.b')],
    meanwhile: patching('classification', 'c', { mutuallyExclusive: true }),
    asked: creating('databaseService', 's', { serviceType: 'Mysql', tags: ['c.a', 'c.b'] }),
    refused: 'invalid',
    unchanged: ['databaseService', 's'],
  },
  'a product gets an asset that goes': {
    given: [...table, creating('domain', 'x'), creating('dataProduct', 'p', { domains: ['x'] })],
    meanwhile: gone('table', 's.d.c.t'),
    asked: adding('dataProduct', 'p', [['table', 's.d.c.t']]),
    refused: 'not_found',
    unchanged: ['dataProduct', 'p'],
  },
  'somebody follows who goes': {
    given: [creating('glossary', 'g'), creating('user', 'bob')],
    meanwhile: gone('user', 'bob'),
    asked: following('glossary', 'g', 'bob'),
    refused: 'not_found',
    unchanged: ['glossary', 'g'],
  },
}

describe.each(Object.entries(engines))('what a decision read of others still holds %s', (_, options) => {
  /** What is found; where it is gone, nothing is. */
  const shown = async ({ find }: Awaited<ReturnType<typeof openWriteSide>>, { unchanged: [kind, fqn] }: Race) => {
    const entity = await find(kind, fqn)
    return entity?.status === 'gone' ? undefined : entity?.members
  }

  test.each(Object.entries(races))('when %s', async (_title, race) => {
    const side = await openWriteSide(options)
    await side.given(...race.given)
    const was = await shown(side, race)
    beforeNextAppend(side.context, () => side.ask(race.meanwhile))
    expect(await outcomeOf(side.ask(race.asked))).toBe(race.refused)
    expect(await shown(side, race)).toEqual(was)
  })

  test('when it comes between the look-up and the decision', async () => {
    const side = await openWriteSide(options)
    await side.given(creating('team', 'x'))
    const { refer } = side.context
    side.context.refer = async (...asked) => {
      side.context.refer = refer
      const found = await refer(...asked)
      await side.ask(gone('team', 'x'))
      return found
    }
    const owned = creating('databaseService', 's', { serviceType: 'Mysql', owners: [team('x')] })
    expect(await outcomeOf(side.ask(owned))).toBe('invalid')
  })

  test('for each of many by itself', async () => {
    const side = await openWriteSide(options)
    await side.given(creating('team', 'x'), creating('team', 'y'))
    const owned = (name: string, owner: string) =>
      upserting('databaseService', name, { serviceType: 'Mysql', owners: [team(owner)] })
    beforeNextAppend(side.context, () => side.ask(gone('team', 'x')))
    const { summaries } = await side.askAll([owned('a', 'x'), owned('b', 'y'), owned('c', 'x')])
    expect(summaries.map((one) => ('result' in one ? 'done' : (one.error as { code: string }).code))).toEqual([
      'invalid',
      'done',
      'invalid',
    ])
    const found = await Promise.all(['a', 'b', 'c'].map((name) => side.find('databaseService', name)))
    expect(found.map((one) => one?.status ?? 'gone')).toEqual(['gone', 'live', 'gone'])
  })
})

describe('what others do to what is referred to', () => {
  /** How many appends a request takes while something happens. */
  const appendsOf = async (given: readonly Ask[], meanwhile: Ask, asked: readonly Ask[]): Promise<number> => {
    let appends = 0
    const side = await openWriteSide({
      caller: 'ann',
      change: (log) => ({
        ...log,
        append: (some) => {
          appends++
          return log.append(some)
        },
      }),
    })
    await side.given(creating('user', 'ann'), ...given)
    beforeNextAppend(side.context, async () => {
      await side.ask(meanwhile)
      appends = 0
    })
    const { summaries } = await side.askAll(asked)
    for (const one of summaries) if ('error' in one) throw one.error
    return appends
  }
  const owned = creating('databaseService', 's', { serviceType: 'Mysql', owners: [team('x')] })

  test('changes nothing that was read: the request is appended at once', async () => {
    const given = [creating('team', 'x'), creating('team', 'y')]
    expect(await appendsOf(given, patching('team', 'x', { description: 'd' }), [owned])).toBe(1)
    expect(await appendsOf(given, patching('team', 'x', { parents: [team('y')] }), [owned])).toBe(1)
    const contract = creating('dataContract', 's.d.c.t.k', {
      entity: { type: 'table', fullyQualifiedName: 's.d.c.t' },
      schema: [string('b')],
    })
    expect(await appendsOf(table, patching('table', 's.d.c.t', { description: 'd' }), [contract])).toBe(1)
    expect(await appendsOf(table, voting('table', 's.d.c.t', 'votedUp'), [contract])).toBe(1)
  })

  test('does not either where many refer to what came a moment before: they share the append after its own', async () => {
    const topics = Array.from({ length: 20 }, (_, at) => creating('database', `s.d${at}`))
    expect(
      await appendsOf([creating('team', 'x')], patching('team', 'x', { description: 'd' }), [owned, ...topics]),
    ).toBe(2)
  })
})
