import { readConfig } from '../../composition/settings/config.ts'
import { openReadModels } from '../../composition/engines.ts'
import { existingAuditKeys } from '../../composition/keys/auditKeys.ts'
import { signHead } from '../../projections/tree/signHead.ts'
import { makeLogTree, type LogTree } from '../../projections/tree/tree.ts'
import { isObject } from '../../shared/json.ts'
import { notesIn } from '../../transparency/checkpoint.ts'
import { WrongProof } from '../../transparency/merkle.ts'
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

/** A service refused a request. */
class Refused extends Error {
  override readonly name = 'Refused'
}

/** Timeout of a request in milliseconds. */
const timeout = 30_000

const ask = async (url: string, token: string | undefined): Promise<string> => {
  const response = await fetch(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(timeout),
  }).catch((error: unknown) => {
    const { cause, message } = error as Error
    throw new Error(`${url} does not answer: ${cause instanceof Error ? cause.message : message}`, { cause: error })
  })
  const text = await response.text()
  if (response.status === 401 || response.status === 403)
    throw new Error(`${url} answered ${response.status}: give a token that may read the history with --token.`)
  if (response.ok) return text
  const message = `${url} answered ${response.status}: ${text.slice(0, 500)}`
  throw notNow.has(response.status) ? new Error(message) : new Refused(message)
}

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
  if (!Array.isArray(hashes)) throw new WrongProof('What it answered is no proof.')
  return hashes.map((hash) => Buffer.from(String(hash), 'base64'))
}

/** The log of a running service. @param url with or without a trailing `/api` */
export const watchedService = (url: string, token: string | undefined): Watched => {
  const audit = `${url.replace(/\/+$/, '').replace(/\/api$/, '')}/api/v1/audit`
  return {
    checkpoint: () => ask(`${audit}/checkpoint`, token),
    successions: () =>
      ask(`${audit}/successions`, token).then(notesIn, (error: unknown) => {
        // Older services do not have them.
        if (error instanceof Refused) return []
        throw error
      }),
    consistency: (from, to) =>
      ask(`${audit}/consistency?from=${from}&to=${to}`, token).then(hashesIn, (error: unknown) => {
        throw error instanceof Refused ? new WrongProof(`It gives no proof: ${error.message}`) : error
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
