import { problemOf } from '../../../src/api/http/problemDetails.ts'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { makeAccess } from '../../../src/api/access.ts'
import type { CatalogRequest } from '../../../src/api/deps.ts'
import { revertRequest } from '../../../src/api/requests/revertRequest.ts'
import { DomainError } from '../../../src/commands/errors.ts'
import { makeHistory } from '../../../src/projections/history.ts'
import {
  beforeNextAppend,
  creating,
  engines,
  openWriteSide,
  patching,
  removing,
  restoring,
  voting,
  type Ask,
  type WriteSideOptions,
} from '../../support/writeSide.ts'

/** A request by this user, as a part of another one if that is named. */
const by =
  (user: string, asked: Ask, correlationId?: string): Ask =>
  (context) => {
    const request = asked({ ...context, caller: { ...context.caller, name: user } })
    return { ...request, cause: { ...request.cause, ...(correlationId !== undefined && { correlationId }) } }
  }

const open = async (options: WriteSideOptions) => {
  const side = await openWriteSide(options)
  const { context, readModels, log } = side
  let undos = 0
  const revert = async (correlationId: string, query = '') => {
    const api = {
      commands: context,
      readModels,
      log,
      history: makeHistory(log),
      runner: { shownPosition: async () => undefined },
      permits: () => 'yes' as const,
    }
    const actor = { name: 'ann', roles: [] }
    const request = {
      api,
      actor,
      access: makeAccess(api, actor),
      params: { correlationId },
      query: new URLSearchParams(query),
      headers: {},
      correlationId: `undo ${++undos}`,
      progress: () => {},
      problemOf: (error: unknown) => problemOf(error).problem,
    } as object as CatalogRequest
    const answered = await revertRequest(request).then(
      async ({ body }) => JSON.parse(await text(body as NodeJS.ReadableStream)) as { status: string; data: unknown[] },
      (error: unknown) => {
        if (!(error instanceof DomainError)) throw error
        return { status: error.code, said: error.message, problems: error.problems.map(({ message }) => message) }
      },
    )
    const own = (await side.events()).filter(({ metadata }) => metadata.correlationId === `undo ${undos}`)
    return { ...answered, written: own.length }
  }
  return {
    ...side,
    revert,
    /** When the preview has read what it decides on. */
    whilePlanned: (asked: Ask) => {
      const { prefetch } = context
      const happen = once(() => side.ask(asked))
      context.prefetch = async (ids) => {
        const found = await prefetch(ids)
        await happen()
        return found
      }
    },
    /** Right before the next append of the undo. */
    beforeAppend: (asked: Ask) =>
      beforeNextAppend(
        context,
        once(() => side.ask(asked)),
      ),
    /** When the first append of the undo is written and shown. */
    afterAppend: (...asked: Ask[]) => {
      const { append } = context.log
      const happen = once(() => side.given(...asked))
      context.log = {
        ...context.log,
        append: async (appends) => {
          const outcomes = await append(appends)
          context.log = { ...context.log, append }
          await side.project()
          await happen()
          return outcomes
        },
      }
    },
  }
}

const once = (happen: () => Promise<unknown>) => {
  let happened: Promise<unknown> | undefined
  return () => (happened ??= happen())
}

/** Too long for its entity to be undone together with others. */
const long = (letter: string): string => letter.repeat(20_000)

const part = (asked: Ask): Ask => by('ann', asked, 'load')
const bens = (asked: Ask): Ask => by('ben', asked)

const table = (fqn: string) => creating('table', fqn, { columns: [{ name: 'id', dataType: 'INT' }] })

const contract = creating('dataContract', 's.d.c.t.k', { entity: { type: 'table', fullyQualifiedName: 's.d.c.t' } })

const database = [creating('databaseService', 's', { serviceType: 'Mysql' }), creating('database', 's.d')]
const load = [creating('databaseSchema', 's.d.c'), table('s.d.c.t'), table('s.d.c.u')].map(part)

describe.each(Object.entries(engines))('an undo %s', (name, options) => {
  const refuses = name === 'where the log refuses'

  test.each(['whilePlanned', 'beforeAppend'] as const)(
    'of changes is whole or nothing, whatever others change: %s',
    async (when) => {
      const side = await open(options)
      const names = ['a', 'b', 'c']
      await side.given(...names.map((each) => creating('glossary', each, { description: 'old' })))
      await side.given(...names.map((each) => part(patching('glossary', each, { description: 'new' }))))
      side[when](bens(patching('glossary', 'c', { description: 'bens' })))
      expect(await side.revert('load')).toMatchObject({
        status: 'conflict',
        problems: ['glossary c: Changed again since: description. The last change is by ben.'],
        ...(when === 'whilePlanned' && { written: 0 }),
      })
      const descriptions = async () =>
        Promise.all(names.map(async (each) => (await side.find('glossary', each))?.members['description']))
      expect(await descriptions()).toEqual(['new', 'new', 'bens'])
      expect(await side.revert('load', 'skipConflicts=true')).toMatchObject({ status: 'partialSuccess' })
      expect(await descriptions()).toEqual(['old', 'old', 'bens'])
    },
  )

  test('that has written a part when it meets a conflict takes exactly that back', async () => {
    const side = await open(options)
    const [term, other] = ['g.a', 'g.b']
    await side.given(
      creating('glossary', 'g'),
      creating('glossaryTerm', term, { description: long('o') }),
      creating('glossaryTerm', 'g.a.x'),
      creating('glossaryTerm', other, { description: long('o') }),
      creating('glossary', 'h', { description: long('o') }),
      part(removing('glossaryTerm', term, { recursive: true })),
      part(patching('glossaryTerm', other, { description: long('n') })),
      part(patching('glossary', 'h', { description: long('n') })),
    )
    const before = await Promise.all([side.find('glossaryTerm', term), side.find('glossaryTerm', 'g.a.x')])
    side.beforeAppend(bens(patching('glossaryTerm', other, { description: 'bens', displayName: 'B' })))
    const refused = await side.revert('load')
    expect(refused).toMatchObject({
      status: 'conflict',
      said: expect.stringMatching(/^Nothing of request load was undone: 1 /),
      problems: ['glossaryTerm g.b: Changed again since: description. The last change is by ben.'],
    })
    expect(refused.written).toBeGreaterThan(0)
    const after = await Promise.all([side.find('glossaryTerm', term), side.find('glossaryTerm', 'g.a.x')])
    const states = (some: typeof after) => some.map((one) => [one?.status, one?.deletion, one?.inherited, one?.members])
    expect(states(after)).toEqual(states(before))
    expect(await side.find('glossary', 'h')).toMatchObject({ members: { description: long('n') } })
    expect(await side.find('glossaryTerm', other)).toMatchObject({ members: { description: 'bens' } })
    expect(await side.revert('load', 'skipConflicts=true')).toMatchObject({ status: 'partialSuccess' })
    expect(await side.find('glossaryTerm', 'g.a.x')).toMatchObject({ status: 'live' })
    expect(await side.find('glossary', 'h')).toMatchObject({ members: { description: long('o') } })
  })

  test('leaves undone what others have worked on before it was taken back, and says so', async () => {
    const side = await open(options)
    await side.given(
      creating('glossary', 'g'),
      creating('glossaryTerm', 'g.a', { description: long('o') }),
      creating('glossary', 'h', { description: long('o') }),
      part(removing('glossaryTerm', 'g.a')),
      part(patching('glossary', 'h', { description: long('n') })),
    )
    side.afterAppend(bens(creating('glossaryTerm', 'g.a.x')), bens(patching('glossary', 'h', { description: 'bens' })))
    expect(await side.revert('load')).toMatchObject({
      status: 'conflict',
      said: expect.stringMatching(/^Nothing but what others work on since then of request load was undone/),
      problems: [
        'glossary h: Changed again since: description. The last change is by ben.',
        'glossaryTerm g.a: glossaryTerm g.a.x below it has just been changed, by ben.',
      ],
    })
    expect(await side.find('glossaryTerm', 'g.a.x')).toMatchObject({ status: 'live' })
  })

  const works: Record<string, [Ask, what: string]> = {
    'changes what it created': [patching('table', 's.d.c.t', { description: 'bens' }), 'table s.d.c.t'],
    'creates something below': [table('s.d.c.new'), 'table s.d.c.new'],
    'promises something about it': [contract, 'dataContract s.d.c.t.k'],
  }

  describe.each(Object.entries(works))('of a creation, while somebody %s', (_, [work, what]) => {
    test.each(['whilePlanned', 'beforeAppend'] as const)('deletes nothing: %s', async (when) => {
      const side = await open(options)
      await side.given(...database, ...load)
      side[when](bens(work))
      const refused = await side.revert('load')
      expect(refused).toMatchObject({
        status: 'conflict',
        problems: expect.arrayContaining([
          expect.stringMatching(`: ${what} below it has just been changed, by ben.$|^${what}: .* by ben.$`),
        ]) as string[],
      })
      if (refuses || when === 'whilePlanned') expect(refused.written).toBe(0)
      const kinds = { 's.d.c': 'databaseSchema', 's.d.c.t': 'table', 's.d.c.u': 'table' }
      for (const [fqn, kind] of Object.entries(kinds)) expect((await side.find(kind, fqn))?.status).toBe('live')
      const [, fqn] = what.split(' ')
      const events = (await side.events()).filter(({ metadata }) => metadata.fullyQualifiedName === fqn)
      expect(events.at(-1)?.type).not.toBe('SoftDeleted')
      expect(await side.revert('load')).toMatchObject({ status: 'conflict', written: 0 })
    })
  })

  test.each(['whilePlanned', 'beforeAppend'] as const)('of a creation heeds no vote: %s', async (when) => {
    const side = await open(options)
    await side.given(...database, ...load)
    side[when](bens(voting('table', 's.d.c.t', 'votedUp')))
    expect(await side.revert('load')).toMatchObject({ status: 'success' })
    expect((await side.find('table', 's.d.c.t'))?.status).toBe('deleted')
  })

  const deletedBefore: Record<string, Ask> = {
    'deleted by itself': removing('table', 's.d.c.t'),
    changed: patching('table', 's.d.c.t', { description: 'new' }),
  }

  test.each(Object.entries(deletedBefore))('restores what was %s before it went with its parent', async (_, asked) => {
    const side = await open(options)
    await side.given(...database, ...load.map((one) => by('ann', one, 'earlier')))
    await side.given(part(asked), part(removing('databaseSchema', 's.d.c', { recursive: true })))
    const outcomes = async (query?: string) => {
      const { data = [] } = (await side.revert('load', query)) as { data?: { undo: string; outcome: string }[] }
      return data.map(({ undo, outcome }) => `${undo} ${outcome}`)
    }
    const restored = Array.from({ length: 3 }, () => 'restore reverted')
    expect([await outcomes('dryRun=true'), await outcomes()]).toEqual([restored, restored])
    const found = await side.find('table', 's.d.c.t')
    expect([found?.status, found?.members['description']]).toEqual(['live', undefined])
  })

  test.each([
    ['restored', []],
    ['restored and changed', [patching('table', 's.d.c.t', { description: 'new' })]],
  ])('deletes again what was %s before it went with its parent', async (_, asked) => {
    const side = await open(options)
    await side.given(...database, ...load.map((one) => by('ann', one, 'earlier')), contract)
    await side.given(removing('table', 's.d.c.t'))
    const together = [restoring('table', 's.d.c.t'), ...asked, removing('databaseSchema', 's.d.c', { recursive: true })]
    await side.given(...together.map(part))
    const outcomes = async (query?: string) => {
      const { data = [] } = (await side.revert('load', query)) as { data?: { undo: string; outcome: string }[] }
      return data.map(({ undo, outcome }) => `${undo} ${outcome}`)
    }
    const expected = ['restore reverted', 'delete reverted', 'restore reverted', 'delete reverted']
    expect([await outcomes('dryRun=true'), await outcomes()]).toEqual([expected, expected])
    const found = await Promise.all(['t', 'u'].map((each) => side.find('table', `s.d.c.${each}`)))
    expect(found.map((one) => [one?.status, one?.members['description']])).toEqual([
      ['deleted', undefined],
      ['live', undefined],
    ])
    await side.given(restoring('table', 's.d.c.t'))
    expect((await side.events()).at(-1)).toMatchObject({ type: 'Restored', metadata: { kind: 'dataContract' } })
  })

  test('says that what it leaves out comes back with what it restores', async () => {
    const side = await open(options)
    await side.given(...database, ...load.map((one) => by('ann', one, 'earlier')), contract)
    await side.given(removing('table', 's.d.c.t'), part(restoring('table', 's.d.c.t')))
    await side.given(bens(patching('table', 's.d.c.t', { description: 'bens' })))
    await side.given(part(removing('databaseSchema', 's.d.c', { recursive: true })))
    const { data } = (await side.revert('load', 'skipConflicts=true')) as { data?: object[] }
    expect(data).toMatchObject([
      { undo: 'restore', outcome: 'reverted' },
      {
        outcome: 'conflict',
        message: 'It has been changed since it was restored, by ben. It comes back with databaseSchema s.d.c.',
      },
      { undo: 'restore', outcome: 'reverted' },
      { undo: 'delete', outcome: 'reverted' },
    ])
    expect(await side.find('table', 's.d.c.t')).toMatchObject({ status: 'live', members: { description: 'bens' } })
  })

  test('of one entity that has just been deleted has nothing to do', async () => {
    const side = await open(options)
    await side.given(...database, ...load)
    side.beforeAppend(bens(removing('databaseSchema', 's.d.c', { recursive: true })))
    expect(await side.revert('load')).toMatchObject({ status: 'success', written: 0 })
  })
})
