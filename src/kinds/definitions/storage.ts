import { z } from 'zod'
import type { Draft, Problem } from '../defineKind.ts'
import { columns as columnTree, searchFieldsField } from '../members/columns.ts'
import { dataAsset, defineKind, mustHaveRootOfParent } from './commonMembers.ts'
import { field } from '../members/fields.ts'
import type { Tree } from '../members/fieldTree.ts'
import { visitTagsAt, treeBehaviour } from '../members/messageSchema.ts'
import { openWord } from '../members/shapes.ts'

const isPartitioned = z.boolean().optional()

const dataModel = z
  .strictObject({ isPartitioned, columns: columnTree.inputs.optional() })
  .meta({ id: 'DataModelInput' })

const dataModelAnswer = z.object({ isPartitioned, columns: columnTree.answers.optional() }).meta({ id: 'DataModel' })

const columns: readonly Tree[] = [{ at: ['dataModel', 'columns'], positions: true }]

const container = defineKind({
  name: 'container',
  path: 'containers',
  description: 'A bucket, folder or file set of a storage service.',
  parents: [
    { field: 'parent', kinds: ['container'], optional: true, description: 'The container that it stands in.' },
    { field: 'service', kinds: ['storageService'] },
  ],
  traits: { ...dataAsset, serving: true },
  computed: { children: { from: 'children', kind: 'container', shown: 'request' } },
  behaviour: { ...treeBehaviour(columns), check: (draft: Draft): Problem[] => mustHaveRootOfParent(draft, 'service') },
  fields: {
    dataModel: {
      schema: dataModel,
      answer: dataModelAnswer,
      nested: visitTagsAt('columns'),
      elements: ['columns'],
      numbered: true,
      description: 'What its files have in common.',
    },
    prefix: field.text('Path below its parent.'),
    numberOfObjects: field.integer('Number of objects in it.', 0),
    size: field.number('Size in bytes.'),
    fileFormats: field.list(
      'Formats of its files.',
      openWord(['zip', 'gz', 'zstd', 'csv', 'tsv', 'json', 'parquet', 'avro', 'orc', 'delta', 'iceberg', 'mf4']),
    ),
    fullPath: field.text('Whole path or address of it.'),
  },
})

const fields: readonly Tree[] = [{ at: ['fields'] }]

const searchIndex = defineKind({
  name: 'searchIndex',
  path: 'searchIndexes',
  description: 'An index of a search service.',
  parents: [{ field: 'service', kinds: ['searchService'] }],
  traits: dataAsset,
  behaviour: treeBehaviour(fields),
  fields: {
    fields: searchFieldsField('The fields of its documents.'),
    searchIndexSettings: field.open('Settings of the index.'),
    indexType: field.openWord('What sort of index it is.', ['Index', 'DataStream']),
  },
})

export const storage = [container, searchIndex]
