import { describe, expect, it } from 'vitest'
import {
  attributeChanges,
  attributeEvent,
  replacedAuthors,
  type Provenance,
  type RequestProvenance,
} from '../../src/commands/provenance.ts'
import { evolve, type Entity, type FoldInput } from '../../src/commands/evolve.ts'
import type { CatalogEvent, Members } from '../../src/events/events.ts'
import type { Json } from '../../src/shared/json.ts'

const at = (revision: number, user: string, event: CatalogEvent): FoldInput => ({
  ...event,
  revision: BigInt(revision),
  position: BigInt(revision),
  metadata: {
    kind: 'table',
    fullyQualifiedName: 't',
    version: revision + 1,
    user,
    time: '2026-01-01T00:00:00.000Z',
    correlationId: `request of ${user}`,
    causationId: 'c',
    schemaVersion: 2,
    hash: '',
  },
})

const created = (members: Members): CatalogEvent => ({ type: 'Created', data: { name: 't', members } })
const updated = (set: Members, unset: string[] = []): CatalogEvent => ({ type: 'Updated', data: { set, unset } })

type Written = readonly [user: string, event: CatalogEvent, causationId?: string]

/** Authors and state after these events. */
const fold = (events: readonly Written[]) => {
  const authors: Provenance = new Map()
  const replaced: RequestProvenance = new Map()
  let entity: Entity | undefined
  for (const [revision, [user, event, causationId = 'c']] of events.entries()) {
    const made = at(revision, user, event)
    const recorded = { ...made, metadata: { ...made.metadata, causationId } }
    const after = evolve('id', entity, recorded)
    attributeEvent({ authors, replaced }, { before: entity, event: recorded, after })
    entity = after
  }
  return { authors, members: entity?.members ?? {} }
}

/** Who wrote what stands after these events, by member. */
const authorsAfter = (...events: readonly Written[]) =>
  Object.fromEntries([...fold(events).authors].map(([name, { user }]) => [name, user]))

const column = (name: string, description?: string) => ({ name, ...(description !== undefined && { description }) })

describe('the author of what stands', () => {
  it('is whoever created it, as long as nobody has changed it', () =>
    expect(authorsAfter(['loader', created({ description: 'a', columns: [column('id', 'x')] })])).toEqual({
      description: 'loader',
      'columns.id.name': 'loader',
      'columns.id.description': 'loader',
    }))

  it('is again who wrote it before a request that is undone', () =>
    expect(
      authorsAfter(
        ['steward', created({ description: 'a', displayName: 'n', columns: [column('id', 'x')] })],
        ['loader', updated({ description: 'b', columns: [column('id', 'y')] }, ['displayName'])],
        [
          'carl',
          updated({ description: 'a', displayName: 'n', columns: [column('id', 'x'), column('new')] }),
          'request of loader',
        ],
      ),
    ).toEqual({
      description: 'steward',
      displayName: 'steward',
      'columns.id.name': 'steward',
      'columns.id.description': 'steward',
      'columns.new.name': 'carl',
    }))

  it('stays who has written it since a request that is undone around it', () =>
    expect(
      authorsAfter(
        ['steward', created({ description: 'a', displayName: 'n' })],
        ['loader', updated({ description: 'b', displayName: 'm' })],
        ['ann', updated({ description: 'c' })],
        ['carl', updated({ displayName: 'n' }), 'request of loader'],
      ),
    ).toEqual({ description: 'ann', displayName: 'steward' }))

  it('is told apart for each column', () =>
    expect(
      authorsAfter(
        ['loader', created({ columns: [column('id', 'x'), column('b')] })],
        ['steward', updated({ columns: [column('id', 'x'), column('b', 'by hand')] })],
        ['loader', updated({ columns: [column('id', 'y'), column('b', 'by hand'), column('c')] })],
      ),
    ).toEqual({
      'columns.id.name': 'loader',
      'columns.id.description': 'loader',
      'columns.b.name': 'loader',
      'columns.b.description': 'steward',
      'columns.c.name': 'loader',
    }))

  it('stays the same when a list is only ordered anew', () =>
    expect(
      authorsAfter(
        ['loader', created({ columns: [column('a', 'x'), column('b')] })],
        ['steward', updated({ columns: [column('b'), column('a', 'x')] })],
      )['columns.a.description'],
    ).toBe('loader'))

  it('goes with a removed column, and is who cleared a value, until there is one again', () => {
    const events: Written[] = [
      ['loader', created({ description: 'a', sla: { latency: '1h' }, columns: [column('a', 'x'), column('b')] })],
      ['steward', updated({ columns: [column('a')] }, ['description', 'sla'])],
    ]
    const cleared = { user: 'steward', cleared: true }
    const { authors } = fold(events)
    expect(authors.get('columns.a.name')?.user).toBe('loader')
    for (const path of ['description', 'sla', 'columns.a.description']) expect(authors.get(path)).toMatchObject(cleared)
    expect([...authors.keys()].filter((path) => path.startsWith('columns.b') || path.startsWith('sla.'))).toEqual([])
    const { authors: later } = fold([...events, ['ann', updated({ description: 'b', sla: { latency: '2h' } })]])
    expect([...later].map(([path, author]) => [path, author.user, author.cleared])).toEqual([
      ['columns.a.name', 'loader', undefined],
      ['columns.a.description', 'steward', true],
      ['description', 'ann', undefined],
      ['sla.latency', 'ann', undefined],
    ])
  })

  it('is nobody, where an undo takes away a value that there had not been, and who had cleared it otherwise', () => {
    const added = (...before: Written[]) =>
      authorsAfter(
        ...before,
        ['loader', updated({ description: 'a', sla: { latency: '1h' } })],
        ['carl', updated({}, ['description', 'sla']), 'request of loader'],
      )
    expect(added(['loader 1', created({})])).toEqual({})
    expect(added(['loader 1', created({ description: 'b' })], ['steward', updated({}, ['description'])])).toEqual({
      description: 'steward',
    })
  })

  it('is one for all references of a list', () => {
    const owner = (id: string) => ({ id, type: 'user', fullyQualifiedName: id })
    const [both, one] = [{ owners: [owner('u'), owner('v')] }, { owners: [owner('v')] }]
    expect(authorsAfter(['loader', created(both)])).toEqual({ owners: 'loader' })
    expect(authorsAfter(['loader', created(both)], ['steward', updated(one)])).toEqual({ owners: 'steward' })
  })

  it('begins anew with a new life', () =>
    expect(
      authorsAfter(
        ['loader', created({ description: 'a' })],
        ['steward', { type: 'HardDeleted', data: { deletion: 'd' } }],
        ['second', created({ displayName: 'T' })],
      ),
    ).toEqual({ displayName: 'second' }))
})

describe('whose values a change replaces', () => {
  const events: Written[] = [
    ['loader', created({ description: 'a', columns: [column('id', 'x'), column('b')] })],
    ['steward', updated({ displayName: 'T', columns: [column('id', 'by hand'), column('b')] })],
  ]
  const replaced = (after: Members) => {
    const { authors, members } = fold(events)
    return Object.fromEntries(replacedAuthors(authors, members, { ...members, ...after }))
  }

  it('nobody’s, where it says the same or something new', () => {
    expect(replaced({})).toEqual({})
    expect(replaced({ extension: { a: 1 }, columns: [column('c'), column('b'), column('id', 'by hand')] })).toEqual({})
  })

  it('those of the authors of each value', () =>
    expect(replaced({ description: 'c', displayName: 'U', columns: [column('id'), column('b')] })).toEqual({
      description: 'loader',
      displayName: 'steward',
      'columns.id.description': 'steward',
    }))

  it('those of whoever had cleared what has a value again', () => {
    const { authors, members } = fold([...events, ['ann', updated({ columns: [column('id', 'x')] }, ['displayName'])]])
    expect([...replacedAuthors(authors, members, { ...members, displayName: 'U' })]).toEqual([['displayName', 'ann']])
    expect([...replacedAuthors(authors, members, { columns: [] })].map(([path]) => path)).not.toContain('displayName')
  })

  it('those of whoever wrote in what is replaced, also below a member without a name', () => {
    const authors = new Map<string, { user: string }>()
    const extension = (value: Json): Members => ({ extension: { '': value } })
    attributeChanges(authors, {}, extension({ x: 1 }), { user: 'ann' })
    attributeChanges(authors, extension({ x: 1 }), extension('text'), { user: 'bob' })
    expect([...authors]).toEqual([['extension.', { user: 'bob' }]])
  })

  it('those of the author of a column, where it goes as a whole', () =>
    expect(replaced({ columns: [column('b')] })).toEqual({
      'columns.id.name': 'loader',
      'columns.id.description': 'loader',
    }))
})
