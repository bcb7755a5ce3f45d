import grpcStreams from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { StoreUnavailable } from '../eventStore.ts'
import { asStoreError, clientErrorOf, isBroken, within } from './clientErrors.ts'
import type { ReaderOptions } from './read.ts'
import { headRequest, readMessage } from './wire/readMessages.ts'

const { path, requestSerialize } = grpcStreams.StreamsService.read

/** Messages are read here: of the event at the head no more than its revision is made. */
const asItIs = (message: Buffer): Buffer => message

/**
 * Revision of a stream's newest event; `undefined`: no such stream. The client would read and parse the whole event.
 */
export const makeRevisionOf = ({ connection, names, readTimeout }: ReaderOptions) => {
  const ask = async (stream: string): Promise<bigint | undefined> => {
    connection.assertOpen()
    const { promise: answered, resolve, reject } = Promise.withResolvers<bigint | undefined>()
    const opening = connection.openCall('readStream', (client, ...given) => {
      const call = client.makeServerStreamRequest(path, requestSerialize, asItIs, headRequest(stream), ...given)
      let found: bigint | undefined
      call.on('data', (message: Buffer) => {
        try {
          found ??= readMessage(message).revision()
        } catch (error) {
          reject(asStoreError(error))
        }
      })
      call.on('error', (error: Error) => reject(asStoreError(clientErrorOf(error))))
      call.on('end', () => resolve(found))
      return call
    })
    opening.catch((error: unknown) => reject(asStoreError(error)))
    try {
      return await within(readTimeout, 'the head of a stream', answered)
    } catch (error) {
      if (error instanceof StoreUnavailable) opening.then((call) => call.cancel()).catch(() => undefined)
      throw error
    }
  }
  return async (stream: string): Promise<bigint | undefined> => {
    const theirs = names.theirs(stream)
    try {
      return await ask(theirs)
    } catch (error) {
      if (!isBroken(error)) throw error
      return ask(theirs)
    }
  }
}
