import { status, type ServiceError } from '@grpc/grpc-js'
import { UnsupportedServer } from '../eventStore.ts'
import type { Connection } from './connection.ts'
import { methods, type SupportedMethods } from './protocol.ts'
import { asStoreError } from './storeErrors.ts'

/**
 * Asks whether the server takes appends as sent here, within `timeout` milliseconds. @throws UnsupportedServer,
 * StoreUnavailable
 */
export const assertSupported = async (connection: Connection, timeout: number): Promise<void> => {
  let supported: SupportedMethods | undefined
  try {
    supported = await connection.unary(methods.supported, {}, timeout)
  } catch (error) {
    const { code } = error as Partial<ServiceError>
    if (code === status.PERMISSION_DENIED || code === status.UNAUTHENTICATED) return
    if (code !== status.UNIMPLEMENTED) throw asStoreError(error)
  }
  const takesBatches = supported?.methods.some(
    ({ serviceName, methodName }) => /(^|\.)streams\.streams$/i.test(serviceName) && /^batchappend$/i.test(methodName),
  )
  if (takesBatches === true) return
  const version = supported?.eventStoreServerVersion ?? 'of a version before 21.10'
  throw new UnsupportedServer(`The EventStoreDB server, ${version}, is too old: the catalog needs 23.10 or newer.`)
}
