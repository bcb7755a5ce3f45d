import { readMismatches } from '../../../../src/projections/entities/hierarchy.ts'
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest'
import type { ListQuery } from '../../../../src/projections/entities/port.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { describeMongo, freshDatabase, rowOf, type MongoDatabase } from './support.ts'
import { applyRows } from '../../../support/projecting.ts'

type Command = Readonly<Record<string, unknown>>

/** Every `stage` in an answer of `explain`, wherever it stands there. */
const stagesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'rejectedPlans') return []
    return name === 'stage' && typeof inner === 'string' ? [inner] : stagesIn(inner)
  })
}

/** Members of a command that belong to its connection. */
const ofConnection = /^(\$|lsid|txnNumber|apiVersion|readConcern|writeConcern)/

/** What of a command is explained. */
const bare = (command: Command): Command =>
  Object.fromEntries(Object.entries(command).filter(([name]) => !ofConnection.test(name)))

const isRead = (command: Command): boolean => 'find' in command || 'aggregate' in command

const rows = Array.from({ length: 3000 }, (_, index) =>
  rowOf({
    fullyQualifiedName: `s${index % 7}.d${index % 21}.t${String(index).padStart(5, '0')}`,
    kind: index % 2 ? 'thing' : 'other',
    parent: `p${index % 10}`,
    status: index % 5 === 0 ? 'deleted' : 'live',
    entityStatus: index % 3 ? 'Draft' : 'Active',
    edges: [
      { rel: 'owners', target: `o${index % 11}` },
      { rel: 'tags', target: `t${index % 13}` },
    ],
  }),
)

const lists: Record<string, Partial<ListQuery>> = {
  'of a kind': {},
  'below an FQN': { scopes: ['s1', 's1.d1'] },
  'of a parent': { parent: 'p1' },
  'of an owner': { edges: [{ rel: 'owners', target: 'o1' }] },
  'of an owner and a tag': {
    edges: [
      { rel: 'owners', target: 'o1' },
      { rel: 'tags', target: 't1' },
    ],
  },
  'of an owner below an FQN': { edges: [{ rel: 'owners', target: 'o1' }], scopes: ['s1'] },
  'of an entity status': { entityStatus: 'Active' },
  'of an entity status below an FQN': { entityStatus: 'Active', scopes: ['s1'] },
}

describeMongo('what the server does', () => {
  let fresh: MongoDatabase
  let readModels: ReadModels
  let explains = false
  let sent: Command[] = []

  beforeAll(async () => {
    fresh = await freshDatabase()
    readModels = await fresh.open({ onCommand: (command) => sent.push(command) })
    await applyRows(readModels, rows, 1n)
    explains = await fresh.db.command({ explain: { find: 'read_models', filter: {} } }).then(
      () => true,
      () => false,
    )
    if (!explains) process.stderr.write('This MongoDB server has no explain: the use of indexes is NOT tested.\n')
  })
  afterAll(() => fresh.dispose())

  /** The stages of every read that the work sends. */
  const stagesOf = async (context: TestContext, work: () => Promise<unknown>): Promise<string[][]> => {
    context.skip(!explains, 'the server has no explain')
    sent = []
    await work()
    const reads = sent.filter(isRead).map(bare)
    expect(reads.length).toBeGreaterThan(0)
    return Promise.all(
      reads.map(async (read) => stagesIn(await fresh.db.command({ explain: read, verbosity: 'queryPlanner' }))),
    )
  }

  const expectIndexed = (plans: readonly string[][], sorted = true): void => {
    for (const stages of plans) {
      expect(stages).not.toContain('COLLSCAN')
      if (sorted) expect(stages).not.toContain('SORT')
    }
  }

  for (const [name, some] of Object.entries(lists)) {
    for (const include of ['non-deleted', 'deleted', 'all'] as const) {
      test(`a list ${name}, ${include}, walks along an index in both directions`, async (context) => {
        const query: ListQuery = { kind: 'thing', include, scopes: [], edges: [], limit: 10, ...some }
        const key = { fullyQualifiedName: 's1.d1.t01500', id: '8' }
        const plans = await stagesOf(context, async () => {
          await readModels.list(query)
          await readModels.list({ ...query, after: key })
          await readModels.list({ ...query, before: key })
        })
        expectIndexed(plans)
      })
    }
  }

  const searched = {
    kinds: ['thing', 'other'],
    deleted: false,
    from: 0,
    size: 10,
    sort: 'name',
    descending: false,
  } as const
  const word = { type: 'text', words: ['t00007'], prefix: false, joined: false } as const
  const beginning = { type: 'text', words: ['t0000'], prefix: true, joined: false, parts: ['name'] } as const
  const ids = rows.slice(0, 50).map(({ id }) => id)
  const reads: Record<string, () => Promise<unknown>> = {
    'by id': () => readModels.getMany(ids),
    'by FQN': () => readModels.getByFqn('thing', 's1.d1.t00001'),
    'of relations': () => readModels.relatedTo(['o1'], 'owners', 10),
    'of relations of many': () => readModels.relatedTo(['o1', 'o2', 'o3'], 'owners', 10),
    'of children': () => readModels.childrenOf(['p1'], 'thing', 10),
    'of children of many': () => readModels.childrenOf(['p1', 'p2', 'p3'], 'thing', 10),
    'of what contradicts among some': () => readMismatches(readModels, 10, ids),
    'of everything that is searched': () => readModels.search({ ...searched, expression: undefined }),
    'of everything that is searched, by time': () =>
      readModels.search({ ...searched, expression: undefined, sort: 'updatedAt', descending: true }),
    'of a word': () => readModels.search({ ...searched, expression: word }),
    'of a beginning': () => readModels.search({ ...searched, expression: beginning }),
    'of suggestions': () => readModels.suggest('t0', ['thing', 'other'], 10),
  }
  for (const [name, read] of Object.entries(reads)) {
    test(`a read ${name} goes through an index`, async (context) => {
      // Terms that begin alike are a range of the index with the ids in no order: those hits are sorted.
      expectIndexed(await stagesOf(context, read), name !== 'of a beginning')
    })
  }
})
