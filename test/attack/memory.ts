import type { RunningService } from '../support/service.ts'
import { inspect } from './inspect.ts'

/** Bytes that a service holds on to. */
export interface Memory {
  /** On the heap and beside it, after a collection. */
  readonly held: number
  readonly resident: number
}

/** Collects the garbage of a service and tells what is left. */
export const memoryOf = async (service: RunningService): Promise<Memory> => {
  const inspector = await inspect(service)
  await inspector.ask('HeapProfiler.collectGarbage')
  await inspector.ask('HeapProfiler.collectGarbage')
  const usage = (await inspector.evaluate('process.memoryUsage()')) as NodeJS.MemoryUsage
  inspector.close()
  return { held: usage.heapUsed + usage.external, resident: usage.rss }
}
