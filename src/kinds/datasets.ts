import { nameProblem } from '../shared/entityName.ts'
import { buildFqn, entityId } from './names.ts'

/** A dataset as OpenLineage integrations name it. */
export interface Dataset {
  readonly namespace: string
  readonly name: string
}

export const datasetKey = ({ namespace, name }: Dataset): string => `${namespace}\0${name}`

/** The asset that a dataset stands for, whether it exists or not. */
export interface DatasetAsset {
  readonly id: string
  readonly type: string
  readonly fullyQualifiedName: string
}

/** Exceptions: service names by namespace, where the two differ. */
export type ServiceNames = ReadonlyMap<string, string>

const messaging = /^(kafka|pulsar|kinesis|pubsub|eventhubs)(:|$)/i
const files = /^(s3|s3a|gs|gcs|abfss?|wasbs?|adl|hdfs|dbfs|file|inmemory)(:|$)/i

/** Database, schema and table of a name: missing leading parts are `default`, and a table name may contain dots. */
const tablePath = (name: string): string[] => {
  const parts = name.split('.').filter((part) => part !== '')
  const [database = '', schema = '', ...table] = [
    ...Array.from({ length: Math.max(0, 3 - parts.length) }, () => 'default'),
    ...parts,
  ]
  return [database, schema, table.join('.')]
}

/**
 * Maps a dataset to an asset: its namespace is the name of the service, and the scheme of the namespace determines the
 * kind. `undefined` if it maps to none.
 */
export const datasetAsset = (
  { namespace, name }: Dataset,
  services: ServiceNames = new Map(),
): DatasetAsset | undefined => {
  const service = services.get(namespace) ?? namespace
  const path = name.replace(/^\/+|(?<!\/)\/+$/g, '')
  const [type, parts]: [string, string[]] = messaging.test(namespace)
    ? ['topic', [path]]
    : files.test(namespace)
      ? ['container', [path]]
      : ['table', tablePath(path)]
  if ([service, ...parts].some((part) => nameProblem(part) !== undefined)) return undefined
  const fullyQualifiedName = buildFqn([service, ...parts])
  return { id: entityId(type, fullyQualifiedName), type, fullyQualifiedName }
}
