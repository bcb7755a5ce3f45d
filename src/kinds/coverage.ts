import { isCared } from './edges.ts'
import { perKind } from './perKind.ts'

/** What is counted of assets that somebody has taken care of, and the filter of lists by which those are found. */
export interface Measure {
  readonly name: string
  readonly description: string
  /** The kind of what must stand directly below an asset; left out, its own members tell. */
  readonly child?: string
  /** The one kind that such children stand below; left out, every asset. */
  readonly on?: string
}

export const measures: readonly Measure[] = [
  { name: 'described', description: 'Only those with a description, or without one' },
  { name: 'owned', description: 'Only those that have an owner, or none' },
  { name: 'classified', description: 'Only those with a tag on them or on a column or field, or without one' },
  {
    name: 'contracted',
    description: 'Only those with a data contract of their own, or without one',
    child: 'dataContract',
  },
  { name: 'tested', description: 'Only those with a test case, or without one', child: 'testCase', on: 'table' },
]

/** The measures that apply to a kind: of what is no asset there are none. */
export const measuresOf = perKind((definition): readonly Measure[] =>
  isCared(definition) ? measures.filter(({ on = definition.name }) => on === definition.name) : [],
)
