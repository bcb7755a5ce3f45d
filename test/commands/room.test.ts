import { expect, test } from 'vitest'
import { executeEach, type Summary } from '../../src/commands/requests/execute.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { prefetchIn, lookupIn, referenceLookup } from '../../src/projections/entities/lookup.ts'
import { shownLength, type EntityRow } from '../../src/projections/entities/row.ts'
import { limits } from '../../src/shared/limits.ts'
import { setLimit } from '../support/limits.ts'
import { adding, creating, openWriteSide, upserting } from '../support/writeSide.ts'

const large = 100_000
const names = Array.from({ length: 20 }, (_, index) => `g.t${index}`)

/** A write side with large terms, and the most characters of entities that it looked up at once. */
const withLargeTerms = async () => {
  setLimit('pageText', 4 * large)
  const side = await openWriteSide()
  const { context, given, readModels } = side
  await given(creating('glossary', 'g'), creating('domain', 'd'), creating('dataProduct', 'p', { domain: 'd' }))
  for (const name of names) await given(creating('glossaryTerm', name, { description: 'x'.repeat(large) }))
  let most = 0
  const note = <Rows extends Iterable<EntityRow>>(rows: Rows): Rows => {
    let length = 0
    for (const row of rows) length += shownLength(row)
    most = Math.max(most, length)
    return rows
  }
  const counted: Pick<typeof readModels, 'get' | 'getMany' | 'getHeads'> = {
    getHeads: readModels.getHeads,
    get: async (id) => {
      const row = await readModels.get(id)
      return note(row === undefined ? [] : [row])[0]
    },
    getMany: async (ids) => {
      const rows = await readModels.getMany(ids)
      note(rows.values())
      return rows
    },
  }
  Object.assign(context, {
    lookup: lookupIn(counted, kindNamed),
    refer: referenceLookup(counted, kindNamed),
    prefetch: prefetchIn(counted, kindNamed),
  })
  return { ...side, most: () => most }
}

test('of what a request refers to no more than one is read whole at a time, however large they are', async () => {
  const { ask, most } = await withLargeTerms()
  await ask(creating('glossaryTerm', 'g.a', { relatedTerms: names }))
  await ask(upserting('glossaryTerm', 'g.a', { relatedTerms: names.slice(1) }))
  await ask(
    adding(
      'dataProduct',
      'p',
      names.map((name) => ['glossaryTerm', name]),
    ),
  )
  expect(most()).toBeLessThan(1.1 * large)
})

test('many requests at once are looked up ahead as far as there is room, and are done in their order', async () => {
  const { askAll, context, find } = await withLargeTerms()
  const held: number[] = []
  const { prefetch } = context
  context.prefetch = async (ids) => {
    const ahead = await prefetch(ids)
    held.push(JSON.stringify([...ahead.found.values()].map(({ members }) => members)).length)
    return ahead
  }
  const { summaries } = await askAll(
    names.map((name) => upserting('glossaryTerm', name, { displayName: `new ${name}` })),
  )
  expect(summaries.map((one) => ('result' in one ? one.result.entity.fullyQualifiedName : one.error))).toEqual(names)
  for (const name of names) expect((await find('glossaryTerm', name))?.members['displayName']).toBe(`new ${name}`)
  expect(Math.max(...held)).toBeLessThan(limits.pageText.value + 1.1 * large)
  expect(held.length).toBeGreaterThan(3)
})

test('what became of a chunk is told before the next one is asked for, so that nobody holds what is done', async () => {
  const { context, given } = await openWriteSide()
  await given(creating('glossary', 'g'), ...names.slice(0, 3).map((name) => creating('glossaryTerm', name)))
  const order: string[] = []
  const chunks = function* () {
    for (const some of [names.slice(0, 2), names.slice(2, 3)]) {
      order.push(`asked for ${some.length}`)
      yield some.map((name) => upserting('glossaryTerm', name, { displayName: 'new' })(context))
    }
  }
  const tell = (one: Summary): void =>
    void order.push('result' in one ? one.result.entity.fullyQualifiedName : 'failed')
  await executeEach(context, chunks(), tell)
  expect(order).toEqual(['asked for 2', 'g.t0', 'g.t1', 'asked for 1', 'g.t2'])
})
