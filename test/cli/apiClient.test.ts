import { expect, it, onTestFinished, vi } from 'vitest'
import { sendRequest } from '../../src/cli/client/apiClient.ts'

it.each([
  ['UND_ERR_HEADERS_TIMEOUT', 'may still be at work'],
  ['ECONNREFUSED', 'Nothing answers at http://127.0.0.1:9'],
])('says whether nobody answers or it only takes long: %s', async (code, message) => {
  const failing = new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  const fetching = vi.spyOn(globalThis, 'fetch').mockRejectedValue(failing)
  onTestFinished(() => fetching.mockRestore())
  await expect(sendRequest('http://127.0.0.1:9/x', undefined)).rejects.toThrow(message)
})
