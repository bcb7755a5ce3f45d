import { readFile } from 'node:fs/promises'
import type { Roles } from '../api/auth/policies.ts'
import { kinds } from '../kinds/index.ts'
import type { Config } from './config.ts'

/** The roles of the policies file beside the shipped ones; none without a file. @throws Error that names what is wrong in it */
export const readPolicies = async ({ policiesFile }: Config): Promise<Roles> => {
  if (policiesFile === undefined) return {}
  const { parsePolicies } = await import('../api/auth/policiesFile.ts')
  return parsePolicies(await readFile(policiesFile, 'utf8'), kinds)
}
