import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { yieldToEventLoop } from '../../shared/yieldToEventLoop.ts'
import { safeParse } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { HttpError } from './problemDetails.ts'
import type { ApiRequest, RequestBody } from './route.ts'
import type { Claim } from './guards.ts'
import { parseItems, parseJson, parseJsonInSlices } from './jsonText.ts'
import type { z } from 'zod'
import { invalid } from '../../commands/errors.ts'
import { problemsOf } from '../../kinds/request/zodProblems.ts'

export type ReadBody = Pick<ApiRequest, 'body' | 'contentType'>

/** The client left before the body was complete: there is nobody to answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted'
}

const inflaters: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** That of a request without one. */
export const noBody: ReadBody = Object.freeze({ body: undefined, contentType: undefined })

const hasBody = (request: IncomingMessage): boolean => {
  const length = request.headers['content-length']
  return length === undefined ? request.headers['transfer-encoding'] !== undefined : length !== '0'
}

/**
 * Reads a body as its route describes it: bounded (also when inflated), of an accepted media type, parsed if JSON.
 * @throws HttpError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, UNSUPPORTED_MEDIA_TYPE, BAD_REQUEST; Throttled; {@link
 * RequestAborted}
 */
export const readBody = async (
  request: IncomingMessage,
  response: ServerResponse,
  expected: RequestBody,
  claim: Claim,
): Promise<ReadBody> => {
  if (!hasBody(request)) return withoutBody(request, expected)
  const contentType = mediaTypeOf(request, expected)
  const inflater = inflaterOf(request)
  const sent = await readBytes(request, response, expected.limit, claim)
  if (sent.length === 0) return withoutBody(request, expected)
  const bytes = inflater === undefined ? sent : await inflateWith(inflater, sent, expected.limit)
  if (inflater !== undefined) claim.add(bytes.length)
  if (expected.raw === true || !/^application\/json$|\+json$/.test(contentType)) return { contentType, body: bytes }
  return { contentType, body: await parsed(bytes, expected) }
}

/** Refuses a body where none is taken: it must not be ignored. `{}` counts as none. @throws as {@link readBody} */
export const readNoBody = async (
  request: IncomingMessage,
  response: ServerResponse,
  claim: Claim,
): Promise<ReadBody> => {
  if (!hasBody(request)) return noBody
  const sent = await readBytes(request, response, 2, claim).catch((error: unknown) => {
    if (!(error instanceof HttpError)) throw error
    return undefined
  })
  if (sent === undefined || !['', '{}'].includes(sent.toString()))
    throw new HttpError('BAD_REQUEST', 'Nothing is read from a body here: parameters stand in the query.')
  return noBody
}

/** Bytes from which a body is long: it is parsed in slices, and handled after a yield. */
const longBody = 64 * 1024

const parsed = async (bytes: Buffer, { flaws, inItems = false }: RequestBody): Promise<unknown> => {
  if (bytes.length <= longBody && !inItems) return parseJson(bytes, flaws)
  const body = inItems ? await parseItems(bytes, limits.body.value) : await parseJsonInSlices(bytes, flaws)
  await yieldToEventLoop()
  return body
}

const withoutBody = (request: IncomingMessage, expected: RequestBody): ReadBody => {
  if (expected.raw) return { body: Buffer.alloc(0), contentType: mediaTypeOf(request, expected) }
  if (expected.required) throw new HttpError('BAD_REQUEST', 'A request body is needed.')
  const contentType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  return contentType === undefined ? noBody : { body: undefined, contentType }
}

const tooLarge = (limit: number): HttpError =>
  new HttpError('PAYLOAD_TOO_LARGE', `The request body may have at most ${limit} bytes.`)

const charset = /;\s*charset\s*=\s*"?([^";\s]+)"?/i

const mediaTypeOf = (request: IncomingMessage, expected: RequestBody): string => {
  const header = request.headers['content-type'] ?? ''
  const semicolon = header.indexOf(';')
  const type = (semicolon === -1 ? header : header.slice(0, semicolon)).trim().toLowerCase()
  const accepted = expected.contentTypes.join(', ')
  const headers = { Accept: accepted, ...(request.method === 'PATCH' && { 'Accept-Patch': accepted }) }
  if (!expected.contentTypes.includes(type)) {
    const given =
      type === '' ? 'The Content-Type header is missing' : 'The Content-Type of the body is not supported here'
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', `${given}; send ${accepted}.`, { headers })
  }
  const encoding = semicolon === -1 ? undefined : charset.exec(header)?.[1]?.toLowerCase()
  if (encoding !== undefined && encoding !== 'utf-8' && encoding !== 'utf8' && encoding !== 'us-ascii') {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'The body must be UTF-8.', { headers })
  }
  return type
}

const inflaterOf = (request: IncomingMessage): (typeof inflaters)[string] | undefined => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return undefined
  const inflater = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined
  if (inflater === undefined) {
    throw new HttpError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The Content-Encoding is not supported; send gzip, deflate, br or none.',
      {
        headers: { 'Accept-Encoding': 'gzip, deflate, br' },
      },
    )
  }
  return inflater
}

const inflateWith = async (inflater: (typeof inflaters)[string], bytes: Buffer, limit: number): Promise<Buffer> => {
  try {
    return await inflater(bytes, { maxOutputLength: limit })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    throw new HttpError('BAD_REQUEST', 'The body is not what its Content-Encoding says.')
  }
}

/** Bytes per second at which a body may take longer than its time. */
const bodyRate = 64 * 1024

const readBytes = async (
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  claim: Claim,
): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  if (request.headers.expect !== undefined) response.writeContinue()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const began = performance.now()
    const time = limits.bodyTime.value
    const timeLeft = (): number => time + (size / bodyRate) * 1000 - (performance.now() - began)
    const onTime = (): void => {
      if (timeLeft() > 0) timer = setTimeout(onTime, timeLeft())
      else fail(tooSlow(time))
    }
    let timer = setTimeout(onTime, time)
    const settle = (): void => {
      clearTimeout(timer)
      request.off('data', onData)
      request.off('end', onEnd)
      request.off('close', onClose)
    }
    const fail = (error: Error): void => {
      settle()
      reject(error)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > limit) return fail(tooLarge(limit))
      try {
        claim.add(chunk.length)
      } catch (error) {
        return fail(error as Error)
      }
      chunks.push(chunk)
    }
    const onEnd = (): void => {
      settle()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size))
    }
    const onClose = (): void => fail(new RequestAborted('The client closed the connection before the body was whole.'))
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onClose)
    request.on('error', () => {})
  })
}

const tooSlow = (time: number): HttpError =>
  new HttpError(
    'REQUEST_TIMEOUT',
    `The body was not there after ${time / 1000} s, nor came with ${bodyRate} bytes a second.`,
  )

/** Parses a small body. @throws DomainError `invalid` with every problem */
export const parseBody = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
  const parsed = safeParse(schema, body)
  if (parsed.success) return parsed.data
  throw invalid(problemsOf(parsed.error, body, { path: '' }))
}
