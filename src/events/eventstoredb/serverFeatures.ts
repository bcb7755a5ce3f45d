import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { UnsupportedServer } from '../eventStore.ts'
import type { Connection } from './connection.ts'
import { asStoreError } from './clientErrors.ts'

/** gRPC codes of a call that the server does not know, and of one that the user may not make. */
const unknownCall = 12
const notAllowed: ReadonlySet<unknown> = new Set([7, 16])

/** What the server offers; `undefined` when it does not say. */
const offered = (
  { execute, callArguments }: Connection['unary'],
  deadline: number,
): Promise<SupportedMethods | undefined> =>
  execute(
    features.ServerFeaturesClient,
    'server features',
    (client) =>
      new Promise((resolve, reject) => {
        client.getSupportedMethods(new shared.Empty(), ...callArguments({ deadline }, {}), (error, methods) => {
          if (error) reject(error)
          else resolve(methods)
        })
      }),
  )

const isAppend = (service: string, method: string): boolean =>
  /(^|\.)streams\.streams$/i.test(service) && /^batchappend$/i.test(method)

/**
 * Asks whether the server takes appends as sent here, within `timeout` milliseconds. @throws UnsupportedServer,
 * StoreUnavailable
 */
export const assertSupported = async ({ unary }: Connection, timeout: number): Promise<void> => {
  let methods: SupportedMethods | undefined
  try {
    methods = await offered(unary, timeout)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (notAllowed.has(code)) return
    if (code !== unknownCall) throw asStoreError(error)
  }
  const found = methods?.getMethodsList().some((each) => isAppend(each.getServiceName(), each.getMethodName()))
  if (found === true) return
  const version = methods?.getEventStoreServerVersion() ?? 'of a version before 21.10'
  throw new UnsupportedServer(`The EventStoreDB server, ${version}, is too old: the catalog needs 23.10 or newer.`)
}
