import type { JsonObject } from '../../shared/json.ts'
import { childFqn } from '../../kinds/names.ts'
import { randomFor } from '../random.ts'
import { topicsText } from '../vocabulary/streams.ts'
import { avroText, jsonSchemaText, messageOf, protobufText, type Message } from './messages.ts'
import { belongsTo } from './people.ts'
import { bulk, type Step } from './step.ts'

const services: readonly JsonObject[] = [
  {
    name: 'events_kafka',
    serviceType: 'Kafka',
    displayName: 'Event backbone',
    description: 'What happens in the business, as it happens.',
    connection: {
      config: {
        type: 'Kafka',
        bootstrapServers: 'kafka-1.internal:9093,kafka-2.internal:9093',
        saslUsername: 'catalog',
        saslPasswordFile: '/run/secrets/kafka',
      },
    },
  },
  {
    name: 'edge_kinesis',
    serviceType: 'Kinesis',
    displayName: 'Edge streams',
    description: 'Clicks, scans and counts from outside.',
    connection: {
      config: {
        type: 'Kinesis',
        awsRegion: 'eu-central-1',
        assumeRoleArn: 'arn:aws:iam::123456789012:role/catalog',
      },
    },
  },
]

const edgeAreas = new Set(['web', 'stores'])

interface TopicText {
  readonly area: string
  readonly part: string
  readonly noun: string
  readonly event: string
  readonly fields: string
}

const readTopics = (): TopicText[] =>
  topicsText
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [head = '', fields = ''] = line.split('|').map((text) => text.trim())
      const [place = '', words = ''] = head.split(':').map((text) => text.trim())
      const [area = '', part = ''] = place.split('/').map((text) => text.trim())
      const [noun = '', ...events] = words.split(' ')
      return events.map((event) => ({ area, part, noun, event, fields }))
    })

/** Most teams write Avro; the edge writes JSON, payments and predictions Protobuf. */
const schemaOf = (area: string, message: Message): JsonObject => {
  if (edgeAreas.has(area)) return { schemaType: 'JSON', schemaText: jsonSchemaText(message) }
  if (area === 'ml' || area === 'warehouse') return { schemaType: 'Protobuf', schemaText: protobufText(message) }
  return { schemaType: 'Avro', schemaText: avroText(message) }
}

const topicOf = ({ area, part, noun, event, fields }: TopicText): JsonObject => {
  const message = messageOf(area, noun, event, fields)
  const random = randomFor(`topic ${area} ${noun} ${event}`)
  const compacted = event === 'changed' || event === 'registered'
  return {
    name: `${area}-${noun}-${event}`.replaceAll('_', '-'),
    service: edgeAreas.has(area) ? 'edge_kinesis' : 'events_kafka',
    description: message.description,
    messageSchema: schemaOf(area, message),
    partitions: random.pick([3, 6, 12, 24]),
    replicationFactor: 3,
    cleanupPolicies: compacted ? ['compact', 'delete'] : ['delete'],
    retentionSize: random.chance(0.7) ? -1 : random.between(1, 64) * 2 ** 30,
    retentionTime: random.pick([1, 7, 30]) * 86_400_000,
    maximumMessageSize: 1_048_576,
    minimumInSyncReplicas: 2,
    tags: [
      /customer|email|visitor/.test(fields) ? 'PII.Sensitive' : 'PII.None',
      'Layer.Source',
      'Lifecycle.Production',
    ],
    ...belongsTo(part),
  }
}

export const topicRequests: readonly JsonObject[] = readTopics().map(topicOf)

export const topicFqn = (request: JsonObject): string =>
  childFqn(request['service'] as string, request['name'] as string)

export const streamSteps = (): Step[] => [
  bulk('messaging services', 'services/messagingServices', services),
  bulk('topics', 'topics', topicRequests),
]
