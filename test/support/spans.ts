import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  trace,
  type Attributes,
  type Context,
  type ContextManager,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api'
import { onTestFinished } from 'vitest'

/** A span that was begun. */
export interface Noted {
  name: string
  /** Id of the span above it. */
  readonly parent: string | undefined
  readonly attributes: Attributes
  readonly context: SpanContext
  ended: boolean
}

const makeContexts = (): ContextManager => {
  const contexts = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (within, work, self, ...args) => contexts.run(within, () => Reflect.apply(work, self, args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}

const beginIn =
  (noted: Noted[]) =>
  (name: string, { attributes = {} }: SpanOptions = {}, within: Context = context.active()): Span => {
    const above = trace.getSpanContext(within)
    const traceId = above?.traceId ?? randomBytes(16).toString('hex')
    const own: Noted = {
      name,
      parent: above?.spanId,
      attributes: { ...attributes },
      context: { traceId, spanId: randomBytes(8).toString('hex'), traceFlags: 1 },
      ended: false,
    }
    noted.push(own)
    const span: Span = Object.assign(trace.wrapSpanContext(own.context), {
      updateName: (other: string) => {
        own.name = other
        return span
      },
      setAttributes: (more: Attributes) => {
        Object.assign(own.attributes, more)
        return span
      },
      end: () => void (own.ended = true),
    })
    return span
  }

const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/

/** Registers what an OpenTelemetry SDK would, until the test has finished. @returns the spans, as they are begun */
export const noteSpans = (): readonly Noted[] => {
  const noted: Noted[] = []
  const startSpan = beginIn(noted)
  const startActiveSpan = (name: string, ...rest: unknown[]): unknown => {
    const work = rest.pop() as (span: Span) => unknown
    const [options, within = context.active()] = rest as [SpanOptions?, Context?]
    const span = startSpan(name, options, within)
    return context.with(trace.setSpan(within, span), () => work(span))
  }
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan }) as Tracer })
  context.setGlobalContextManager(makeContexts())
  propagation.setGlobalPropagator({
    fields: () => ['traceparent'],
    inject: () => undefined,
    extract: (within, carrier, getter) => {
      const [, traceId, spanId] = traceparent.exec(String(getter.get(carrier, 'traceparent'))) ?? []
      if (traceId === undefined || spanId === undefined) return within
      return trace.setSpanContext(within, { traceId, spanId, traceFlags: 1, isRemote: true })
    },
  })
  onTestFinished(() => {
    trace.disable()
    context.disable()
    propagation.disable()
  })
  return noted
}
