import type { ClientReadableStream } from '@grpc/grpc-js'
import type { Connection } from './connection.ts'
import { methods, type ReadAnswer, type LogReadRequest } from './protocol.ts'
import { asStoreError } from './storeErrors.ts'

/** A read, or a subscription, under way. */
export interface ReadCall {
  /** Gives an error that the port knows, or `undefined` when the server has told all or nobody wants more. */
  readonly ended: Promise<unknown>
  end(reason?: unknown): void
  hold(wait: boolean): void
}

/** Begins a read whose answers `take` is given in their order; one that it throws at ends the call. */
export const openRead = (
  connection: Connection,
  request: LogReadRequest,
  take: (answer: ReadAnswer) => void,
): ReadCall => {
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
    ended,
    end,
    hold: (wait) => {
      if (over || !call || wait === call.isPaused()) return
      if (wait) call.pause()
      else call.resume()
    },
  }
}
