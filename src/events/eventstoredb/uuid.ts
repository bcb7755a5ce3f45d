import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js'

/** A UUID as the server takes it. */
export const uuidOf = (text: string): UUID => {
  const uuid = new shared.UUID()
  uuid.setString(text)
  return uuid
}

const hex = (part: string): string => BigInt.asUintN(64, BigInt(part)).toString(16).padStart(16, '0')

/** A UUID of the server, in either of its two forms, as text; `''` for none. */
export const uuidText = (uuid: UUID | undefined): string => {
  const structured = uuid?.getStructured()
  if (!structured) return uuid?.getString() ?? ''
  const digits = hex(structured.getMostSignificantBits()) + hex(structured.getLeastSignificantBits())
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
