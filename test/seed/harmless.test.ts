import { expect, it } from 'vitest'
import { companySteps } from '../../src/cli/seedCommand.ts'
import { markPlainSecrets, maskSecrets } from '../../src/shared/secrets/sealed.ts'

/** Every connection that stands somewhere in a value. */
const connectionsIn = (value: unknown): unknown[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name === 'connection' ? [member] : []),
    ...connectionsIn(member),
  ])
}

it('the company has no secret in its connections, so that it can be loaded again without a change', () => {
  const connections = connectionsIn(companySteps())
  expect(connections.length).toBeGreaterThan(5)
  for (const connection of connections) expect(maskSecrets(markPlainSecrets(connection as never))).toEqual(connection)
})
