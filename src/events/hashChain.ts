import { hash } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '../shared/json.ts'
import type { CatalogEvent, EventMetadata } from './events.ts'

export type HashedEvent = CatalogEvent & {
  readonly id: string
  readonly stream: string
  readonly revision: bigint
  readonly metadata: Omit<EventMetadata, 'hash'>
}

/**
 * The hashed text of an event: the RFC 8785 text of `{stream, revision, id, type, data, metadata}`. `revision` is a
 * decimal string; `metadata` lacks `hash` but has `previousHash`.
 */
export const preimageOf = (event: HashedEvent): string => {
  const { hash: _, ...metadata } = event.metadata as EventMetadata
  const hashed: JsonObject = {
    stream: event.stream,
    revision: event.revision.toString(),
    id: event.id,
    type: event.type,
    data: event.data as Json,
    metadata: { ...metadata },
  }
  return canonicalJson(hashed)
}

/** SHA-256, in hex, of {@link preimageOf}. */
export const eventHash = (event: HashedEvent): string => hash('sha256', preimageOf(event))
