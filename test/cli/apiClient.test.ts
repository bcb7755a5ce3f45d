import { expect, it, onTestFinished, vi } from 'vitest'
import { sendRequest } from '../../src/cli/client/apiClient.ts'

it.each([
  ['UND_ERR_HEADERS_TIMEOUT', 'may still be at work'],
  ['ECONNREFUSED', 'Nothing answers at http://127.0.0.1:9'],
  ['ECONNRESET', 'gave no answer: ECONNRESET. What it was asked for may have been done.'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'gave no answer: DEPTH_ZERO_SELF_SIGNED_CERT.'],
])('says whether nobody answers or it only takes long: %s', async (code, message) => {
  const failing = new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  const fetching = vi.spyOn(globalThis, 'fetch').mockRejectedValue(failing)
  onTestFinished(() => fetching.mockRestore())
  await expect(sendRequest('http://127.0.0.1:9/x', undefined)).rejects.toThrow(message)
})

it('says that nothing answers at a port that fetch refuses', () =>
  expect(sendRequest('http://127.0.0.1:9/x', undefined)).rejects.toThrow('Nothing answers at http://127.0.0.1:9'))
