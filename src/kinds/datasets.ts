import { buildFqn, entityId } from './names.ts'

/** A dataset as integrations of OpenLineage name it. */
export interface Dataset {
  readonly namespace: string
  readonly name: string
}

/** The asset that a dataset is, whether that is there or not. */
export interface DatasetAsset {
  readonly id: string
  readonly type: string
  readonly fullyQualifiedName: string
}

/** Services by namespace, where they are not called as the namespace is. */
export type ServiceNames = ReadonlyMap<string, string>

const messaging = /^(kafka|pulsar|kinesis|pubsub|eventhubs)(:|$)/i
const files = /^(s3|s3a|gs|gcs|abfss?|wasbs?|adl|hdfs|dbfs|file|inmemory)(:|$)/i

/** Database, schema and table: what is missing in front is called default, and a table may have dots. */
const tablePath = (name: string): string[] => {
  const parts = name.split('.').filter((part) => part !== '')
  const [database = '', schema = '', ...table] = [
    ...Array.from({ length: Math.max(0, 3 - parts.length) }, () => 'default'),
    ...parts,
  ]
  return [database, schema, table.join('.')]
}

/**
 * The rule by which a dataset is an asset: its namespace is the name of the service, and the scheme of that tells the
 * kind. `undefined`: it can be none.
 */
export const datasetAsset = (
  { namespace, name }: Dataset,
  services: ServiceNames = new Map(),
): DatasetAsset | undefined => {
  const service = services.get(namespace) ?? namespace
  const path = name.replace(/^\/+|\/+$/g, '')
  if (service === '' || path === '') return undefined
  const [type, parts]: [string, string[]] = messaging.test(namespace)
    ? ['topic', [path]]
    : files.test(namespace)
      ? ['container', [path]]
      : ['table', tablePath(path)]
  const fullyQualifiedName = buildFqn([service, ...parts])
  return { id: entityId(type, fullyQualifiedName), type, fullyQualifiedName }
}
