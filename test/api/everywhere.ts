import { makeMetrics } from '../../src/api/system/metrics.ts'

const statuses = [200, 304, 400, 401, 403, 404, 406, 412, 413, 415]
/** Metrics of a service whose callers have been everywhere. */
export const everywhere = (routes = 700) => {
  const metrics = makeMetrics()
  for (let route = 0; route < routes; route += 1)
    for (const status of statuses) metrics.requestAnswered('GET', `/api/v1/things${route}/{id}`, status, 0.004)
  return metrics
}
