import { type RecordedEvent, parseStreamName } from '../../events/events.ts'
import type { Json } from '../../shared/json.ts'
import { hasJsonMember, maskSecrets, sealedMember } from '../../shared/secrets/sealed.ts'

/** The CloudEvents type: `catalog.<kind>.<type>`. */
export const cloudEventType = (kind: string, type: string): string => `catalog.${kind}.${type}`

/** `$id` of the JSON Schema of the data of a kind's events of a type, the same in every catalog; it ends with a version. */
export const dataSchemaOf = (kind: string, type: string): string => `urn:catalog:event:${kind}:${type}:1`

/** Writes an event for consumers. @param leafIndex index of its leaf in the Merkle tree, if known */
export type WriteEvent = (event: RecordedEvent, leafIndex: number | undefined) => string

/**
 * Makes the writer of CloudEvents 1.0 JSON texts. The text depends on the event alone, so all who may view everything
 * get the same bytes: `source` is relative (`/api/v1/<path>`), positions and versions are strings.
 * @param pathOf path of a kind's collection below `/api/v1/`
 */
export const makeCloudEventWriter =
  (pathOf: (kind: string) => string): WriteEvent =>
  (event, leafIndex) => {
    const { kind, version, proposal, ...metadata } = event.metadata
    const cloudEvent = {
      specversion: '1.0',
      id: event.id,
      source: `/api/v1/${pathOf(kind)}`,
      type: cloudEventType(kind, event.type),
      subject: metadata.fullyQualifiedName,
      time: metadata.time,
      datacontenttype: 'application/json',
      dataschema: dataSchemaOf(kind, event.type),
      position: String(event.position),
      entityid: parseStreamName(event.stream).id,
      entityversion: (version / 10).toFixed(1),
      revision: String(event.revision),
      schemaversion: String(metadata.schemaVersion),
      actor: metadata.user,
      correlationid: metadata.correlationId,
      clientcorrelationid: metadata.clientCorrelationId,
      machinetime: metadata.machineTime,
      causationid: metadata.causationId,
      traceparent: metadata.traceparent,
      proposalid: proposal?.id,
      proposer: proposal?.proposer,
      hash: metadata.hash,
      previoushash: metadata.previousHash,
      leafindex: leafIndex?.toString(),
      data: event.data,
    }
    const text = JSON.stringify(cloudEvent)
    return hasJsonMember(text, sealedMember)
      ? JSON.stringify({ ...cloudEvent, data: maskSecrets(event.data as Json) })
      : text
  }
