import { describe, expect, test } from 'vitest'
import { acceptance, acceptProposal, closeProposal } from '../../src/commands/requests/acceptProposal.ts'
import { execute } from '../../src/commands/requests/execute.ts'
import { write } from '../../src/commands/requests/createOrUpdate.ts'
import { entityId } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { readRequest } from '../../src/kinds/request/requestSchema.ts'
import {
  before,
  beforeNextAppend,
  causeOf,
  creating,
  engines,
  openWriteSide,
  patching,
  removing,
  type Ask,
} from '../support/writeSide.ts'

const definition = kindNamed('proposal')
const proposal = entityId('proposal', 'p')
const glossary = entityId('glossary', 'g')

/** ann proposes a description of the glossary `g`, on revision 0. */
const proposing: Ask = (context) => {
  const entity = { id: glossary, type: 'glossary', fullyQualifiedName: 'g' }
  const own = { entity, proposer: 'ann', members: ['description'], base: 0, status: 'open' }
  const parsed = readRequest(definition, { name: 'p' }, 'create')
  return write(context, { type: 'Create', definition, parsed, own }, causeOf())
}

const accepting =
  (user = 'bob', description = 'proposed', amended = false): Ask =>
  (context) =>
    acceptProposal(
      context,
      {
        definition: kindNamed('glossary'),
        id: glossary,
        read: () => ({ values: { description }, cleared: [], problems: [] }),
      },
      { id: proposal, base: 0n, members: ['description'], proposer: 'ann', amended },
      causeOf(user),
    )

const closing =
  (status: string): Ask =>
  (context) =>
    closeProposal(
      context,
      { definition, id: proposal, target: { kind: 'glossary', id: glossary }, base: 0n },
      { status, decidedBy: 'carl' },
      causeOf('carl'),
    )

describe.each(Object.entries(engines))('an accepted proposal %s', (_, { change = (log) => log }) => {
  const open = async (between?: Parameters<typeof before>[1]) => {
    const side = await openWriteSide({
      change: (log) => (between === undefined ? change(log) : before('Updated', between)(change(log))),
    })
    await side.given(creating('glossary', 'g'), proposing)
    const status = async () => (await side.find('proposal', 'p'))?.members['status']
    /** What the integrity process does for the events that accepted something. */
    const follow = async () => {
      for (const event of await side.events()) {
        const isVoid = (await side.context.verdicts?.isVoid(event)) === true
        const request = isVoid ? undefined : acceptance(event)
        if (request !== undefined) await execute(side.context, request)
      }
    }
    return { ...side, status, follow }
  }

  test('the event of the entity accepts; the proposal follows it, also when it is told twice or late', async () => {
    const side = await open()
    await side.when(accepting()).makes('Updated glossary g')
    expect((await side.events()).at(-1)?.metadata).toMatchObject({
      user: 'bob',
      proposal: { id: proposal, proposer: 'ann' },
    })
    expect(await side.status()).toBe('open')
    await side.follow()
    await side.follow()
    expect((await side.find('proposal', 'p'))?.members).toMatchObject({
      status: 'accepted',
      decidedBy: 'bob',
      accepted: 1,
    })
    expect(await side.lines()).toHaveLength(4)
  })

  test('what was accepted is not accepted again before its status has followed, amended or not', async () => {
    const side = await open()
    await side.given(accepting())
    await side.when(accepting('carl')).refused('conflict', /already accepted/)
    await side.when(accepting('carl', 'other', true)).refused('conflict', /already accepted/)
  })

  test('what was refused or withdrawn is not accepted', async () => {
    for (const status of ['refused', 'withdrawn']) {
      const side = await open()
      await side.given(closing(status))
      await side.when(accepting()).refused('conflict', new RegExp(`already ${status}`))
      await side.when(closing('refused')).refused('conflict')
    }
  })

  test('a refusal that comes first in the log holds, whatever was decided before', async () => {
    const side = await open(async () => {
      await execute({ ...side.context, log: change(side.log) }, closing('refused')(side.context))
    })
    await expect(side.ask(accepting())).rejects.toMatchObject({ code: 'conflict' })
    expect((await side.find('glossary', 'g'))?.members['description']).toBeUndefined()
    expect(await side.status()).toBe('refused')
  })

  test('an acceptance that comes first in the log holds: who refuses meanwhile is told so', async () => {
    const side = await open(async () => {
      await execute({ ...side.context, log: change(side.log) }, accepting()(side.context))
    })
    await expect(side.ask(closing('refused'))).rejects.toMatchObject({ code: 'conflict' })
    await side.follow()
    expect(await side.status()).toBe('accepted')
  })

  test('what changed since is named; an amendment stands on it', async () => {
    const side = await open()
    await side.given(patching('glossary', 'g', { displayName: 'G' }), patching('glossary', 'g', { description: 'now' }))
    await side.when(accepting()).refused('conflict', /description by ann at .* \(revision 2\)/)
    await side.when(accepting('bob', 'both', true)).makes('Updated glossary g')
  })

  test('what is changed at the same time is a conflict, though the log does not show it yet', async () => {
    const side = await open()
    const changes = [{ displayName: 'G' }, { description: 'now' }].map((members) =>
      side.ask(patching('glossary', 'g', members)),
    )
    await expect(side.ask(accepting())).rejects.toMatchObject({ code: 'conflict' })
    await Promise.all(changes)
  })

  test('what is void, and what compensates it, changed nothing', async () => {
    const side = await open()
    await side.given(creating('team', 'x'))
    beforeNextAppend(side.context, () => side.ask(removing('team', 'x', { hard: true })))
    const lost = patching('glossary', 'g', {
      description: 'void',
      owners: [{ type: 'team', fullyQualifiedName: 'x' }],
    })
    await expect(side.ask(lost)).rejects.toMatchObject({ code: 'invalid' })
    await side.when(accepting()).makes('Updated glossary g')
  })

  test('of two at once one changes the entity', async () => {
    const side = await open()
    const outcomes = await Promise.allSettled([
      side.ask(accepting('bob', 'one', true)),
      side.ask(accepting('carl', 'two', true)),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const made = (await side.events()).filter(({ type, stream }) => type === 'Updated' && stream.startsWith('glossary'))
    expect(made).toHaveLength(1)
  })
})
