import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { WrittenPolicies } from '../api/auth/policiesFile.ts'
import { kinds } from '../kinds/registry/kinds.ts'
import { reasonOf } from '../stores/fileProblems.ts'
import { ConfigError, type Config } from './settings/config.ts'

/**
 * The policies file in addition to the shipped roles, with its SHA-256 in hex. @throws Error that names every problem
 */
export const readPolicies = async ({
  policiesFile,
}: Config): Promise<WrittenPolicies & { readonly digest?: string }> => {
  if (policiesFile === undefined) return { roles: {}, needsApproval: [] }
  const { parsePolicies, PolicyError } = await import('../api/auth/policiesFile.ts')
  try {
    const text = await readFile(policiesFile, 'utf8')
    return { ...parsePolicies(text, kinds), digest: createHash('sha256').update(text).digest('hex') }
  } catch (error) {
    const named = `CATALOG_POLICIES_FILE names ${policiesFile}`
    throw error instanceof PolicyError
      ? new ConfigError(error.lines.map((line) => `${named}: ${line}`))
      : new ConfigError([`${named}, which cannot be used: ${reasonOf(error)}.`])
  }
}
