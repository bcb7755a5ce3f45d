import type { Logger } from 'pino'
import { isTraced } from '../shared/tracing.ts'
import { version } from '../shared/version.ts'

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
  return () => provider.shutdown().catch((error: Error) => warn(error.message))
}
