import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js'
import { eachField, numberAt, type Range } from './wireFormat.ts'

export const uuidOf = (text: string): UUID => {
  const uuid = new shared.UUID()
  uuid.setString(text)
  return uuid
}

const hex = (part: bigint): string => BigInt.asUintN(64, part).toString(16).padStart(16, '0')

const structuredText = (most: bigint, least: bigint): string =>
  (hex(most) + hex(least)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** A UUID of the server, in either of its two forms, as text; `''` for none. */
export const uuidText = (uuid: UUID | undefined): string => {
  const structured = uuid?.getStructured()
  if (!structured) return uuid?.getString() ?? ''
  return structuredText(BigInt(structured.getMostSignificantBits()), BigInt(structured.getLeastSignificantBits()))
}

/** The same of a UUID within a message. */
export const uuidIn = (bytes: Buffer, { from, to }: Range): string => {
  let text = ''
  eachField(bytes, from, to, (field, begin, end) => {
    if (field === 2) text = bytes.toString('latin1', begin, end)
    if (field !== 1) return
    const parts = [0n, 0n]
    eachField(bytes, begin, end, (part, at, over) => void (parts[part - 1] = numberAt(bytes, at, over)))
    text = structuredText(...(parts as [bigint, bigint]))
  })
  return text
}
