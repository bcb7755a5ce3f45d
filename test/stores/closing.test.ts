import { expect, it, vi } from 'vitest'
import { closeAll, closingOnce } from '../../src/stores/closing.ts'

it('what is closed again is closed once, and all callers hear how that ended', async () => {
  const close = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('stuck'))
  const closed = closingOnce(close)
  const both = await Promise.allSettled([closed(), closed()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(close).toHaveBeenCalledOnce()
})

it('all are closed in turn, also after one that fails', async () => {
  const order: string[] = []
  const closing =
    (name: string, fails = false) =>
    async () => {
      await Promise.resolve()
      order.push(name)
      if (fails) throw new Error(`${name} is stuck.`)
    }
  await expect(closeAll([closing('a'), closing('b', true), closing('c')])).rejects.toThrow(/^b is stuck\.$/)
  await expect(closeAll([closing('d', true), closing('e', true)])).rejects.toThrow('d is stuck. e is stuck.')
  await closeAll([closing('f')])
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})
