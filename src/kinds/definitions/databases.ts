import { z } from 'zod'
import type { Behaviour, Draft, Problem } from '../defineKind.ts'
import { dataAsset, defineKind } from './commonMembers.ts'
import { columnsField } from '../members/columns.ts'
import { field, retentionPeriod } from '../members/fields.ts'
import { makeNameMatcher, nodesOf, type Tree } from '../members/fieldTree.ts'
import { openWord, text, word } from '../members/shapes.ts'
import { words } from '../../shared/wordLists.ts'
import { treeBehaviour } from '../members/messageSchema.ts'

const database = defineKind({
  name: 'database',
  path: 'databases',
  description: 'A database of a database service.',
  parents: [{ field: 'service', kinds: ['databaseService'] }],
  traits: dataAsset,
  kept: 'default',
  fields: { retentionPeriod },
})

const databaseSchema = defineKind({
  name: 'databaseSchema',
  path: 'databaseSchemas',
  description: 'A schema of a database.',
  parents: [{ field: 'database', kinds: ['database'] }],
  ancestors: ['service'],
  traits: dataAsset,
  fields: { retentionPeriod },
})

const tableConstraint = z.strictObject({
  constraintType: openWord(['UNIQUE', 'PRIMARY_KEY', 'FOREIGN_KEY', 'SORT_KEY', 'DIST_KEY', 'CLUSTER_KEY']),
  columns: z.array(word).min(1),
  referredColumns: z.array(word).optional(),
  relationshipType: openWord(['ONE_TO_ONE', 'ONE_TO_MANY', 'MANY_TO_ONE', 'MANY_TO_MANY']).optional(),
})

const usage = z.strictObject({ count: z.int().min(0).optional(), percentileRank: z.number().optional() }).optional()

const usageSummary = z.strictObject({
  dailyStats: usage,
  weeklyStats: usage,
  monthlyStats: usage,
  date: text.optional(),
})

const columns: readonly Tree[] = [{ at: ['columns'], positions: true }]

const constraintProblems = ({ members, unreadable }: Draft): Problem[] => {
  if (unreadable?.has('columns') || members['tableConstraints'] === undefined) return []
  const isColumn = makeNameMatcher(nodesOf(members['columns']))
  return nodesOf(members['tableConstraints']).flatMap((constraint, at) =>
    (constraint['columns'] as string[]).flatMap((name, index) =>
      isColumn(name)
        ? []
        : [{ path: `/tableConstraints/${at}/columns/${index}`, message: `there is no column ${name}` }],
    ),
  )
}

const tableTree = treeBehaviour(columns)

const tableRules: Behaviour = {
  ...tableTree,
  derive: (draft, effects) => {
    const { members, problems = [] } = tableTree.derive(draft, effects)
    return { members, problems: [...problems, ...constraintProblems({ ...draft, members })] }
  },
}

const tableTypes = words(`
  Regular External Dynamic View SecureView MaterializedView Iceberg Local Partitioned Foreign Transient Stream Stage
  Temporary`)

const processedLineage = field.boolean('Has its loader read lineage out of its statement? Kept as it is sent.', {
  shown: 'request',
})

const table = defineKind({
  name: 'table',
  path: 'tables',
  description: 'A table or view of a database schema.',
  parents: [{ field: 'databaseSchema', kinds: ['databaseSchema'] }],
  ancestors: ['database', 'service'],
  traits: dataAsset,
  behaviour: tableRules,
  kept: 'dataModel tableProfilerConfig',
  fields: {
    columns: columnsField('The columns, in order.', { shown: 'request', numbered: true }),
    tableType: field.openWord('What sort of table it is.', tableTypes, { default: 'Regular' }),
    tableConstraints: field.list('Constraints over several columns, and to other tables.', tableConstraint, {
      shown: 'request',
    }),
    schemaDefinition: field.text('The statement that defines it, such as a view’s query.'),
    locationPath: field.text('Where its files are, kept as its loader sends it.'),
    fileFormat: field.text('What its files are written in, kept as its loader sends it.'),
    tablePartition: field.open('How it is partitioned, kept as its loader sends it.', { shown: 'request' }),
    processedLineage,
    retentionPeriod,
    usageSummary: field.shape('How much it is used.', usageSummary, { shown: 'request' }),
  },
})

const code = z.strictObject({
  language: openWord(['SQL', 'Java', 'JavaScript', 'Python', 'Scala', 'External']).optional(),
  code: text,
})

const storedProcedure = defineKind({
  name: 'storedProcedure',
  path: 'storedProcedures',
  description: 'A procedure or function of a database schema.',
  parents: [{ field: 'databaseSchema', kinds: ['databaseSchema'] }],
  ancestors: ['database', 'service'],
  traits: { ...dataAsset, serving: true },
  example: { storedProcedureCode: { code: 'SELECT 1', language: 'SQL' } },
  fields: {
    storedProcedureCode: field.shape('What it does.', code, { required: true }),
    processedLineage,
    storedProcedureType: field.openWord(
      'What sort of procedure it is.',
      words('StoredProcedure UDF StoredPackage Function'),
    ),
  },
})

const query = defineKind({
  name: 'query',
  path: 'queries',
  description: 'A query that is run on a database service.',
  parents: [{ field: 'service', kinds: ['databaseService'] }],
  traits: { ...dataAsset, serving: true },
  example: { query: 'SELECT 1' },
  kept: 'users usedBy exclude_usage query_type triggeredBy cost',
  fields: {
    query: field.text('The statement.', { required: true }),
    queryUsedIn: field.references('The tables that it reads.', ['table'], { shown: 'request' }),
    duration: field.number('How long it took, in seconds.'),
    queryDate: field.shape('When it was run: a day, an instant or epoch milliseconds.', z.union([word, z.int()])),
    processedLineage,
  },
})

export const databases = [database, databaseSchema, table, storedProcedure, query]
