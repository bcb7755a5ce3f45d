import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/shared/json.ts'
import { readEntityLink } from '../../src/kinds/definitions/dataQuality.ts'
import { assetColumns } from '../../src/kinds/members/assetColumns.ts'
import { countedIn } from '../../src/kinds/members/fieldTree.ts'
import { ancestorFqns, buildFqn } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { columnDataTypes } from '../../src/shared/columnTypes.ts'
import { unknownWord } from '../../src/shared/nearest.ts'
import { atThisPace, processorTimeAtBest } from '../support/processorTime.ts'
import { asJson, draftOf, fact, factsOf, makeEffects, reference, said } from './support.ts'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

const deriveOf = (kind: string) => kindNamed(kind).behaviour.derive as NonNullable<Derive>
type Derive = ReturnType<typeof kindNamed>['behaviour']['derive']
type Needs = ReturnType<typeof kindNamed>['behaviour']['needs']

const checkOf = (kind: string) => kindNamed(kind).behaviour.check as NonNullable<Check>
type Check = ReturnType<typeof kindNamed>['behaviour']['check']

const columns = times(9000, (at) => ({ name: `c${at}`, dataType: 'INT' }))

it('what is above a name of 1,536 names is found at once', () => {
  const name = buildFqn(times(1536, () => 'a'))
  const taken = processorTimeAtBest(() => times(20, () => expect(ancestorFqns(name)).toHaveLength(1535)))
  expect(taken).toBeLessThan(atThisPace(100))
})

it.each([
  ['the same', () => 0],
  ['each another', (at: number) => at],
])('5,000 columns without a position among as many that have %s one are counted at once', (_, positionOf) => {
  const half = times(5000, (at) => [{ name: `given${at}`, ordinalPosition: positionOf(at) }, { name: `c${at}` }]).flat()
  let counted: ReadonlySet<unknown> = new Set()
  const taken = processorTimeAtBest(() => {
    const { columns: nodes } = deriveOf('table')(draftOf({ columns: half }), makeEffects()).members
    counted = countedIn(nodes as JsonObject[])
  })
  expect(counted.size).toBeGreaterThan(0)
  expect(taken).toBeLessThan(atThisPace(100))
})

it('a column in 50,000 unique constraints is shown at once, with what it is', () => {
  const tableConstraints = times(50_000, () => ({ constraintType: 'UNIQUE', columns: ['c0'] }))
  const taken = processorTimeAtBest(() =>
    expect(assetColumns({ columns: columns.slice(0, 1), tableConstraints })).toEqual([
      { name: 'c0', dataType: 'INT', constraints: ['UNIQUE'] },
    ]),
  )
  expect(taken).toBeLessThan(atThisPace(100))
})

it('70,000 names of constraints are looked for among 9,000 columns at once', () => {
  const tableConstraints = times(700, (at) => ({
    constraintType: 'UNIQUE',
    columns: times(100, (of) => (at === 0 && of === 0 ? 'c8999' : `none${of}`)),
  }))
  const taken = processorTimeAtBest(() => {
    const { problems = [] } = deriveOf('table')(draftOf({ columns, tableConstraints }), makeEffects())
    expect(problems).toHaveLength(69_999)
    expect(said(problems)[0]).toBe('/tableConstraints/0/columns/1: there is no column none1')
  })
  expect(taken).toBeLessThan(atThisPace(500))
})

it('10,000 values of a test are compared with 10,000 parameters at once, and do not all name all of these', () => {
  const definition = fact('testDefinition', 'd', {
    parameterDefinition: times(10_000, (at) => ({ name: `parameter${at}`, required: true })),
  })
  const draft = draftOf({
    testDefinition: asJson(definition.reference),
    parameterValues: times(10_000, (at) => ({ name: `other${at}`, value: '1' })),
  })
  let problems: readonly { readonly message: string }[] = []
  const taken = processorTimeAtBest(() => (problems = checkOf('testCase')(draft, factsOf(definition))))
  expect(problems).toHaveLength(20_000)
  expect(problems.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThan(20 * 1024 * 1024)
  expect(taken).toBeLessThan(atThisPace(500))
})

it('the words on 9,000 fields are found for the 9,000 that a schema text has', () => {
  const avro = (type: string): JsonObject => ({
    schemaType: 'Avro',
    schemaText: JSON.stringify({ type: 'record', name: 'R', fields: columns.map(({ name }) => ({ name, type })) }),
  })
  const children = columns.map(({ name }) => ({ name, dataType: 'INT', description: `of ${name}` }))
  const schemaFields = [{ name: 'R', dataType: 'RECORD', children }]
  const draft = draftOf(
    { messageSchema: { ...avro('long'), schemaFields } },
    { before: { messageSchema: avro('int') } },
  )
  const effects = makeEffects()
  for (const type of ['int', 'long']) effects.schema(avro(type) as { schemaType: string; schemaText: string })
  let read: unknown
  const taken = processorTimeAtBest(() => (read = deriveOf('topic')(draft, effects).members['messageSchema']))
  expect((read as { schemaFields: typeof schemaFields }).schemaFields[0]?.children.at(-1)?.description).toBe('of c8999')
  expect(taken).toBeLessThan(atThisPace(500))
})

it('what stands above the tags of 6,000 columns is gone through once', () => {
  const chain = times(1000, (at) =>
    fact(
      'glossaryTerm',
      `t${at}`,
      at === 0 ? { mutuallyExclusive: true } : { parent: asJson(reference('glossaryTerm', `t${at - 1}`)) },
    ),
  )
  const tags = [chain[998], chain[999]].map((each) => asJson((each as (typeof chain)[number]).reference))
  const draft = draftOf({ columns: times(6000, (at) => ({ name: `c${at}`, dataType: 'INT', tags })) })
  const needsOf = kindNamed('table').behaviour.needs as NonNullable<Needs>
  const loaded: typeof chain = []
  const loading = processorTimeAtBest(() => {
    loaded.length = 0
    for (let level = chain.length - 1; level >= 0; level--) {
      const known = factsOf(...loaded)
      if (level % 100 === 99) expect(needsOf(draft, known)).toContain(chain[level]?.reference.id)
      loaded.push(chain[level] as (typeof chain)[number])
    }
    expect(needsOf(draft, factsOf(...loaded))).toEqual([])
  })
  expect(loading).toBeLessThan(atThisPace(500))
  let problems: readonly unknown[] = []
  const taken = processorTimeAtBest(() => (problems = checkOf('table')(draft, factsOf(...chain))))
  expect(problems).toHaveLength(6000)
  expect(taken).toBeLessThan(atThisPace(500))
})

it('an entity link that names columns 40,000 times and does not end is refused at once', () => {
  const link = `<#E::table::${'::columns::x'.repeat(40_000)}`
  const taken = processorTimeAtBest(() => expect(readEntityLink(link)).toMatch(/^must be/))
  expect(taken).toBeLessThan(atThisPace(100))
})

it('7,000 data types that are far longer than any known one are refused without measuring how far', () => {
  const given = times(7000, (at) => `${at}`.padStart(100, 'lorem ipsum '))
  const taken = processorTimeAtBest(() => given.forEach((word) => unknownWord(word, columnDataTypes)))
  expect(taken).toBeLessThan(atThisPace(300))
})
