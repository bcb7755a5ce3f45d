import { CallError, type ApiClient } from '../client/apiClient.ts'

/** Before a call is repeated, in milliseconds. */
const pauses = [1000, 2000, 4000, 8000]

const retrying =
  <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
  async (...args: A): Promise<T> => {
    for (const pause of pauses)
      try {
        return await call(...args)
      } catch (error) {
        if (!(error instanceof CallError) || error.status !== 503) throw error
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    return call(...args)
  }

/** A client for calls that write nothing: it repeats those for which the service is not available at the moment. */
export const retryingClient = (client: ApiClient): ApiClient => ({
  ...client,
  get: retrying(client.get),
  getTagged: retrying(client.getTagged),
  put: retrying(client.put),
  putText: retrying(client.putText),
  post: retrying(client.post),
})
