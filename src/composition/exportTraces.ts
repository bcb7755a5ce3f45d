import type { Logger } from 'pino'
import { inTime } from '../shared/backOff.ts'
import { isTraced } from '../shared/tracing.ts'
import { version } from '../shared/version.ts'

/** Milliseconds that the last spans may take: deployments allow few beyond the time for running requests. */
const longestEnd = 2000

/**
 * Sends spans to a collector by OTLP if the standard variables of OpenTelemetry name one, and no other SDK is registered.
 * @returns sends what is left, and ends
 */
export const exportTraces = async (env: NodeJS.ProcessEnv, logger: Logger): Promise<() => Promise<void>> => {
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? ''
  const isOff = env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none'
  if (endpoint === '' || isOff || isTraced()) return async () => undefined
  const { diag, DiagLogLevel } = await import('@opentelemetry/api')
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto')
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources')
  const warn = (message: string): void => logger.warn({ reason: message }, 'spans cannot be sent at the moment')
  diag.setLogger({ error: warn, warn, info: warn, debug: warn, verbose: warn }, DiagLogLevel.WARN)
  const own = resourceFromAttributes({ 'service.name': 'metadata-catalog', 'service.version': version })
  const provider = new NodeTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  return async () => {
    const shutdown = provider.shutdown().catch((error: Error) => warn(error.message))
    if (await inTime(longestEnd, () => shutdown.then(() => true), false)) return
    warn(`the collector did not take the last ones within ${longestEnd / 1000} seconds`)
    // What it has not answered would keep the process.
    setTimeout(() => process.exit(), 100).unref()
  }
}
