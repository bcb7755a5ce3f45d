import { type RecordedEvent, parseStreamName } from '../../events/events.ts'
import type { Json } from '../../shared/json.ts'
import { hasJsonMember, maskSecrets, sealedMember } from '../../shared/secrets/sealed.ts'

/** The CloudEvents type: `catalog.<kind>.<type>`. */
export const cloudEventType = (kind: string, type: string): string => `catalog.${kind}.${type}`

/** `$id` of the JSON Schema of the data of a kind's events of a type, the same in every catalog; it ends with a version. */
export const dataSchemaOf = (kind: string, type: string): string => `urn:catalog:event:${kind}:${type}:1`

const text = (value: string): string => JSON.stringify(value)

/** An optional attribute. */
const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `"${name}":${text(value)},`

/** Writes an event for consumers. @param leafIndex index of its leaf in the Merkle tree, if known */
export type WriteEvent = (event: RecordedEvent, leafIndex: number | undefined) => string

const dataText = ({ data }: RecordedEvent): string => {
  const plain = JSON.stringify(data)
  return hasJsonMember(plain, sealedMember) ? JSON.stringify(maskSecrets(data as Json)) : plain
}

/**
 * Makes the writer of CloudEvents 1.0 JSON texts. The text depends on the event alone, so all who may view everything
 * get the same bytes: `source` is relative (`/api/v1/<path>`), positions and versions are strings.
 * @param pathOf path of a kind's collection below `/api/v1/`
 */
export const makeCloudEventWriter =
  (pathOf: (kind: string) => string): WriteEvent =>
  (event, leafIndex) => {
    const { kind, fullyQualifiedName, time, version, user, schemaVersion, hash, ...more } = event.metadata
    const leaf = leafIndex === undefined ? undefined : String(leafIndex)
    return (
      `{"specversion":"1.0","id":${text(event.id)},"source":${text(`/api/v1/${pathOf(kind)}`)},` +
      `"type":${text(cloudEventType(kind, event.type))},"subject":${text(fullyQualifiedName)},"time":${text(time)},` +
      `"datacontenttype":"application/json",` +
      `"dataschema":${text(dataSchemaOf(kind, event.type))},"position":"${event.position}",` +
      `"entityid":${text(parseStreamName(event.stream).id)},"entityversion":"${(version / 10).toFixed(1)}",` +
      `"revision":"${event.revision}","schemaversion":"${schemaVersion}",` +
      `"actor":${text(user)},"correlationid":${text(more.correlationId)},` +
      attribute('clientcorrelationid', more.clientCorrelationId) +
      attribute('machinetime', more.machineTime) +
      `"causationid":${text(more.causationId)},${attribute('traceparent', more.traceparent)}` +
      attribute('proposalid', more.proposal?.id) +
      attribute('proposer', more.proposal?.proposer) +
      `"hash":${text(hash)},${attribute('previoushash', more.previousHash)}${attribute('leafindex', leaf)}` +
      `"data":${dataText(event)}}`
    )
  }
