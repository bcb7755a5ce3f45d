import type { ClientReadableStream } from '@grpc/grpc-js'
import type { Connection } from './connection.ts'
import { methods, type ReadAnswer, type LogReadRequest } from './protocol.ts'
import { asStoreError } from './storeErrors.ts'

/** Starts a read and passes its answers to `take` in order; an error of `take` ends the call. */
export const openRead = (connection: Connection, request: LogReadRequest, take: (answer: ReadAnswer) => void) => {
  const { promise: ended, resolve } = Promise.withResolvers<unknown>()
  let call: ClientReadableStream<ReadAnswer> | undefined
  let over = false
  const end = (reason?: unknown): void => {
    if (over) return
    over = true
    resolve(reason === undefined ? undefined : asStoreError(reason))
    call?.cancel()
  }
  const takeUnlessOver = (answer: ReadAnswer): void => {
    if (over) return
    try {
      take(answer)
    } catch (error) {
      end(error)
    }
  }
  connection.stream(methods.read, request).then((opened) => {
    call = opened
      .on('data', takeUnlessOver)
      .on('error', end)
      .on('end', () => end())
    if (over) opened.cancel()
  }, end)
  return {
    /** Resolves with an error of the port, or `undefined` when the server has finished or the read was left. */
    ended,
    end,
    hold: (wait: boolean): void => {
      if (over || !call || wait === call.isPaused()) return
      if (wait) call.pause()
      else call.resume()
    },
  }
}

/** A running read or subscription. */
export type ReadCall = ReturnType<typeof openRead>
