import { expect, it } from 'vitest'
import { closeAll } from '../../src/stores/closing.ts'

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
