import { readConfig } from '../../composition/settings/config.ts'
import { openReadModels } from '../../composition/engines.ts'
import { existingAuditKeys } from '../../composition/keys/auditKeys.ts'
import { signHead } from '../../projections/tree/signHead.ts'
import { makeLogTree, type LogTree } from '../../projections/tree/tree.ts'
import { isObject } from '../../shared/json.ts'
import { notesIn } from '../../transparency/checkpoint.ts'
import { WrongProof } from '../../transparency/merkle.ts'
import { ask, CallError } from '../client/apiClient.ts'
import { closing } from '../command/command.ts'

/** A watched log. */
export interface Watched {
  checkpoint(): Promise<string>
  /** Signed notes of succession between keys. */
  successions(): Promise<string[]>
  /** The consistency proof between two sizes. */
  consistency(from: number, to: number): Promise<Buffer[]>
}

/** Status codes of a temporary failure or of missing permission. */
const notNow = new Set([401, 403, 408, 429, 502, 503, 504])

const isRefusal = (error: unknown): boolean =>
  error instanceof CallError && error.status !== undefined && !notNow.has(error.status)

/** Timeout of a request in milliseconds. */
const timeout = 30_000

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const hashesIn = (text: string): Buffer[] => {
  const proof = jsonOf(text)
  const hashes = isObject(proof) ? proof['hashes'] : undefined
  if (!Array.isArray(hashes)) throw new WrongProof('The response is not a proof.')
  return hashes.map((hash) => Buffer.from(String(hash), 'base64'))
}

/** The log of a running service. @param url with or without a trailing `/api` */
export const watchedService = (url: string, token: string | undefined): Watched => {
  const audit = `${url.replace(/\/+$/, '').replace(/\/api$/, '')}/api/v1/audit`
  const read = async (path: string): Promise<string> =>
    (await ask(`${audit}/${path}`, token, { signal: AbortSignal.timeout(timeout) })).text()
  return {
    checkpoint: () => read('checkpoint'),
    successions: () =>
      read('successions').then(notesIn, (error: unknown) => {
        // Older services do not have them.
        if (isRefusal(error)) return []
        throw error
      }),
    consistency: (from, to) =>
      read(`consistency?from=${from}&to=${to}`).then(hashesIn, (error: unknown) => {
        throw isRefusal(error) ? new WrongProof(`It refuses to give a proof: ${(error as Error).message}`) : error
      }),
  }
}

/** A log in a data folder, signed with the key in it; no service needs to run. */
export const watchedFolder = (dataDir: string): Watched => {
  const config = readConfig({
    CATALOG_DATA_DIR: dataDir,
    CATALOG_AUDIT_KEY_FILE: process.env['CATALOG_AUDIT_KEY_FILE'],
  })
  const reading = <T>(read: (tree: LogTree) => Promise<T>): Promise<T> =>
    closing(openReadModels(config, { readOnly: true }), (readModels) => read(makeLogTree(readModels)))
  return {
    checkpoint: () => reading(async (tree) => (await signHead(tree, existingAuditKeys(config))).note),
    successions: async () => [...existingAuditKeys(config).successions],
    consistency: (from, to) => reading((tree) => tree.consistency(from, to)),
  }
}
