import type { IncomingHttpHeaders } from 'node:http'
import {
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  propagation,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Span,
} from '@opentelemetry/api'
import { version } from './version.ts'

const own = ['metadata-catalog', version] as const

const tracer = trace.getTracer(...own)

/** Whether an OpenTelemetry SDK is registered in this process: without one no spans are created. */
export const isTraced = (): boolean => {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(...own) !== undefined
}

const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)

const within =
  <T>(work: (span: Span) => Promise<T>) =>
  async (span: Span): Promise<T> => {
    try {
      return await work(span)
    } catch (error) {
      span.recordException(error as Error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }

export const inSpan = <T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> =>
  isTraced() ? tracer.startActiveSpan(name, { attributes }, within(work)) : work()

/** Runs a request in a span that is a child of the one in its `traceparent`. */
export const inRequestSpan = <T>(
  name: string,
  headers: IncomingHttpHeaders,
  work: (span: Span) => Promise<T>,
): Promise<T> => {
  if (!isTraced()) return work(noSpan)
  const parent = propagation.extract(context.active(), headers)
  return tracer.startActiveSpan(name, { kind: SpanKind.SERVER }, parent, within(work))
}

/** https://www.w3.org/TR/trace-context: version, trace, span and flags; later versions may append to it. */
const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]{1,200})?$/

/** The `traceparent` of the present span, or the given one if it is well-formed. */
export const traceparentNow = (given: string | readonly string[] | undefined): string | undefined => {
  const present = trace.getActiveSpan()?.spanContext()
  if (present !== undefined && isSpanContextValid(present))
    return `00-${present.traceId}-${present.spanId}-${(present.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`
  return typeof given === 'string' && wellFormed.test(given) ? given : undefined
}
