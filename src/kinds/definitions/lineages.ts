import { defineKind } from './commonMembers.ts'
import { parentField } from '../members/fields.ts'

const lineage = defineKind({
  name: 'lineage',
  path: 'lineages',
  description:
    'Where the data of one asset comes from, as sources state it: /v1/lineage has the edges, this their history.',
  parents: [{ field: 'entity', kinds: ['*'] }],
  dependent: true,
  traits: { serving: true },
  example: {
    entity: {
      type: 'table',
      fullyQualifiedName: 'exampleDatabaseService.exampleDatabase.exampleDatabaseSchema.exampleTable',
    },
  },
  behaviour: { identity: 'parent' },
  fields: { entity: parentField(['*'], { description: 'The asset that it is about.' }) },
})

/** What connects assets. */
export const lineages = [lineage]
