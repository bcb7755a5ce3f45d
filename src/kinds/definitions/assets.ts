import { z } from 'zod'
import { dataAsset, defineKind } from './commonMembers.ts'
import { featuresField, tasksField } from '../members/columns.ts'
import { field } from '../members/fields.ts'
import type { Tree } from '../members/fieldTree.ts'
import { schemaMember, treeBehaviour } from '../members/messageSchema.ts'
import { name, openWord, text, word } from '../members/shapes.ts'
import { words } from '../../shared/wordLists.ts'

const messageFields: readonly Tree[] = [{ at: ['messageSchema', 'schemaFields'] }]

const topic = defineKind({
  name: 'topic',
  path: 'topics',
  description: 'A topic of a messaging service.',
  parents: [{ field: 'service', kinds: ['messagingService'] }],
  traits: dataAsset,
  behaviour: treeBehaviour(messageFields, ['messageSchema']),
  fields: {
    messageSchema: schemaMember(
      'The schema of its messages. Fields are read from Avro, JSON Schema and Protobuf texts.',
    ),
    partitions: field.integer('Number of partitions.', 1, { default: 1 }),
    cleanupPolicies: field.list('How old messages go.', openWord(['delete', 'compact'])),
    replicationFactor: field.integer('Number of copies.', 0),
    retentionTime: field.largeInteger('How long messages stay, in milliseconds; -1: for ever.', -1),
    maximumMessageSize: field.integer('Largest message, in bytes.', 0),
    minimumInSyncReplicas: field.integer('Copies that must have a message before it is acknowledged.', 0),
    retentionSize: field.largeInteger('Size at which messages go, in bytes; -1: unlimited.', -1, { default: -1 }),
    topicConfig: field.open('Further settings of the platform.'),
  },
})

const dashboard = defineKind({
  name: 'dashboard',
  path: 'dashboards',
  description: 'A dashboard of a dashboard service.',
  parents: [{ field: 'service', kinds: ['dashboardService'] }],
  traits: dataAsset,
  kept: 'dataModels',
  fields: {
    dashboardType: field.openWord('What sort of dashboard it is.', ['Dashboard', 'Report']),
    project: field.word('Project or folder that it stands in.'),
    charts: field.references('The charts that it shows.', ['chart'], { shown: 'request' }),
  },
})

const chart = defineKind({
  name: 'chart',
  path: 'charts',
  description: 'A chart of a dashboard service.',
  parents: [{ field: 'service', kinds: ['dashboardService'] }],
  traits: dataAsset,
  computed: { dashboards: { from: 'related', rel: 'charts', shown: 'request' } },
  fields: {
    chartType: field.openWord(
      'How it shows its data.',
      words('Area Bar BoxPlot Gauge Line Map Pie Scatter Table Text Other'),
    ),
  },
})

const dataset = z.strictObject({ namespace: text, name: text, version: text.optional(), time: text.optional() })

const run = z.strictObject({
  id: text,
  state: word,
  time: text,
  inputs: z.array(dataset).optional(),
  outputs: z.array(dataset).optional(),
  startedAt: text.optional(),
  endedAt: text.optional(),
  parent: z.strictObject({ run: text, pipeline: text }).optional(),
  details: z.record(text, text).optional(),
})

const pipeline = defineKind({
  name: 'pipeline',
  path: 'pipelines',
  description: 'A job that moves or makes data, run by a pipeline service.',
  parents: [{ field: 'service', kinds: ['pipelineService'] }],
  traits: dataAsset,
  fields: {
    tasks: tasksField('Its steps.', { shown: 'request' }),
    scheduleInterval: field.word('When it runs: a cron expression, or words such as @daily.'),
    concurrency: field.integer('Runs that there may be at a time.', 1),
    startDate: field.word('From when on it is scheduled: a day or an instant.'),
    pipelineLocation: field.text('Where its code is, kept as its loader sends it.'),
    state: field.word('Whether it is scheduled, such as Active or Inactive, kept as its loader sends it.'),
    runs: field.list('Its newest runs; its history has all.', run, { readOnly: true, shown: 'only-request' }),
    runDetails: field.open('SQL and columns that these runs told, by their ids in `details`.', {
      readOnly: true,
      shown: 'only-request',
    }),
  },
})

const hyperParameter = z.strictObject({ name, value: text.optional(), description: text.optional() })

const features: readonly Tree[] = [{ at: ['mlFeatures'] }]

const mlmodel = defineKind({
  name: 'mlmodel',
  path: 'mlmodels',
  description: 'A machine learning model.',
  parents: [{ field: 'service', kinds: ['mlmodelService'] }],
  traits: dataAsset,
  behaviour: treeBehaviour(features),
  fields: {
    algorithm: field.text('How it learns.'),
    mlFeatures: featuresField('What it learns from.'),
    mlHyperParameters: field.list('How it was set up.', hyperParameter),
    target: field.text('What it predicts.'),
    dashboard: field.reference('Where its performance is shown.', ['dashboard']),
    server: field.url('Where it is served.'),
    mlStore: field.shape(
      'Where it is kept.',
      z.strictObject({ storage: text.optional(), imageRepository: text.optional() }),
    ),
  },
})

const requestFields: readonly Tree[] = [
  { at: ['requestSchema', 'schemaFields'], below: ['requestSchema'] },
  { at: ['responseSchema', 'schemaFields'], below: ['responseSchema'] },
]

const apiCollection = defineKind({
  name: 'apiCollection',
  path: 'apiCollections',
  description: 'A group of endpoints of an API.',
  parents: [{ field: 'service', kinds: ['apiService'] }],
  traits: dataAsset,
  kept: 'apiEndpoints',
  fields: { endpointURL: field.url('Where it is reached.') },
})

const apiEndpoint = defineKind({
  name: 'apiEndpoint',
  path: 'apiEndpoints',
  description: 'One operation of an API.',
  parents: [{ field: 'apiCollection', kinds: ['apiCollection'] }],
  ancestors: ['service'],
  traits: { ...dataAsset, serving: true },
  maxLimit: 1_000_000,
  behaviour: treeBehaviour(requestFields, ['requestSchema', 'responseSchema']),
  fields: {
    endpointURL: field.url('Where it is reached.'),
    requestMethod: field.openWord('The HTTP method.', words('GET POST PUT PATCH DELETE HEAD OPTIONS CONNECT TRACE'), {
      default: 'GET',
    }),
    requestSchema: schemaMember('What a request holds.'),
    responseSchema: schemaMember('What a response holds.'),
  },
})

/** Topics, dashboards, pipelines, models and APIs. */
export const assets = [topic, chart, dashboard, pipeline, mlmodel, apiCollection, apiEndpoint]
