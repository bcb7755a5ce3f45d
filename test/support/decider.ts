import { expect } from 'vitest'
import { readSchemaText } from '../../src/kinds/schemaText/readSchemaText.ts'
import { z } from 'zod'
import { mustFit } from '../../src/commands/changes.ts'
import { decide, type Command, type Decision, type DecisionContext } from '../../src/commands/decide.ts'
import { evolve, type Entity, type FoldInput } from '../../src/commands/evolve.ts'
import { record } from '../../src/commands/recording.ts'
import { DomainError, type DomainErrorCode } from '../../src/commands/errors.ts'
import type { CatalogEvent, Reference } from '../../src/events/events.ts'
import { incarnationsSince } from '../../src/events/legacyReferences.ts'
import type { Behaviour, Fact, Field, KindDefinition } from '../../src/kinds/defineKind.ts'

const text: Field = { schema: z.string() }
const many = (kind: string): Field => ({
  schema: z.unknown(),
  references: { kinds: [kind], many: true },
  readOnly: true,
})

/** A kind that exists in tests alone. */
export const thing = (behaviour: Behaviour = {}): KindDefinition => ({
  name: 'thing',
  path: 'things',
  description: 'A thing.',
  parents: [],
  ancestors: [],
  dependent: false,
  shownBelow: [],
  facts: [],
  fields: {
    description: text,
    colour: { ...text, default: 'grey' },
    origin: { ...text, fixed: true },
    rank: { ...text, readOnly: true },
    followers: many('person'),
    assets: many('thing'),
  },
  computed: {},
  traits: {},
  behaviour,
  maxLimit: 1000,
  seeds: [],
})

export const thingId = '11111111-1111-5111-8111-111111111111'

export const person = (name: string): Reference => ({ id: `person-${name}`, type: 'person', fullyQualifiedName: name })

/** The statement of the lineage of an asset by one source. */
export const lineageStated = (
  edges: readonly string[],
  ended: readonly string[] = [],
  source = 'dbt',
): CatalogEvent => ({
  type: 'LineageStated',
  data: {
    entity: person('asset'),
    source,
    edges: edges.map((name) => ({ from: person(name) })),
    ended: ended.map(person),
  },
})

export const at = (name = 'one', parent?: Fact) => ({ id: thingId, name, fullyQualifiedName: name, parent })

/** An event of the thing as it is read from the log. @param version in tenths */
export const recorded = (event: CatalogEvent, revision: bigint, version: number): FoldInput => ({
  ...event,
  revision,
  position: revision,
  metadata: {
    kind: 'thing',
    fullyQualifiedName: 'one',
    version,
    user: 'ann',
    time: '2024-01-02T03:04:05.000Z',
    correlationId: 'c',
    causationId: 'd',
    schemaVersion: incarnationsSince,
    hash: `h${revision}`,
  },
})

/** Folds events as if each of them had made the next version, unless a version (in tenths) stands beside it. */
export const stateAfter = (events: readonly (CatalogEvent | [CatalogEvent, number])[]): Entity | undefined => {
  let state: Entity | undefined
  for (const [index, entry] of events.entries()) {
    const [event, version] = Array.isArray(entry) ? entry : [entry, index + 1]
    state = evolve(thingId, state, recorded(event, BigInt(index), version))
  }
  return state
}

/** given(events).when(command).then(decisions), or .refused(code). */
export const given = (...events: (CatalogEvent | [CatalogEvent, number])[]) => ({
  when: (command: Command, around: Partial<DecisionContext> = {}) => {
    const surroundings: DecisionContext = {
      definition: thing(),
      facts: { get: () => undefined },
      effects: {
        seal: (plain) => ({ $sealed: plain }),
        open: (sealed) => String(sealed['$sealed']),
        schema: readSchemaText,
        user: 'ann',
        now: () => 1_700_000_000_000,
      },
      ...around,
    }
    const run = (): Decision[] => {
      const before = stateAfter(events)
      const decisions = decide(before, command, surroundings)
      const cause = { user: 'ann', correlationId: 'c', commandId: 'd' }
      const subject = { kind: 'thing', id: thingId, fullyQualifiedName: 'one' }
      mustFit(before?.members ?? {}, record({ subject, before, decisions, cause }).entity?.members ?? {})
      return decisions
    }
    return {
      then: (...expected: Decision[]) => expect(run()).toEqual(expected),
      thenNothing: () => expect(run()).toEqual([]),
      refused: (code: DomainErrorCode, message: RegExp = /./) => {
        let thrown: unknown
        try {
          run()
        } catch (error) {
          thrown = error
        }
        expect(thrown).toBeInstanceOf(DomainError)
        expect((thrown as DomainError).code).toBe(code)
        expect((thrown as DomainError).message).toMatch(message)
      },
    }
  },
})
