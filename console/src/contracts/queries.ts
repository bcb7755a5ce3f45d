import { queryOptions } from '@tanstack/react-query'
import { call, get, onto, Problem } from '../api/client.ts'
import { loadEntity } from '../api/queries.ts'
import type { Column, Entity, ProblemDetail, Reference } from '../api/types.ts'
import { apiUrl } from '../api/reads.ts'

/** The contract in force for an asset. */
export interface Contract extends Entity {
  readonly inherited: boolean
  readonly entity: Reference
  readonly schema?: readonly Column[]
  readonly semantics?: readonly {
    readonly name: string
    readonly description?: string
    readonly rule?: string
    readonly enabled?: boolean
  }[]
  readonly sla?: Readonly<Record<string, unknown>>
  readonly termsOfUse?: string
  readonly security?: Readonly<Record<string, unknown>>
  readonly qualityExpectations?: readonly Reference[]
  readonly reviewers?: readonly Reference[]
  readonly latestResult?: Readonly<Record<string, unknown>>
  /** The contract or its asset has another version since. */
  readonly latestResultStale?: boolean
}

const path = '/v1/dataContracts'

const loadContract = async ({ type, id }: Target, signal?: AbortSignal): Promise<Contract | null> => {
  try {
    return await get<Contract>(`${path}/entity`, { entityId: id, entityType: type }, signal)
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  }
}

/** `null`: there is none, and none is inherited. */
export const contractQuery = (type: string, id: string) =>
  queryOptions({
    queryKey: ['contract', type, id],
    queryFn: ({ signal }) => loadContract({ type, id }, signal),
  })

/** A contract as an ODCS document, and the ETag that its next change must name; a new contract has none. */
export interface ContractDocument {
  readonly text: string
  readonly etag?: string | undefined
}

/** The ETag is read first: a change between the two is refused, not overwritten. */
const loadDocument = async (contract: Contract, signal?: AbortSignal): Promise<ContractDocument> => {
  const { etag } = await loadEntity('dataContract', contract.fullyQualifiedName, undefined, signal)
  return { etag, text: await get<string>(`${path}/${contract.id}/odcs/yaml`, {}, signal) }
}

/** That of the asset's own contract as it is now; without one it is empty. */
export const presentDocument = async (target: Target): Promise<ContractDocument> => {
  const contract = await loadContract(target)
  return contract === null || contract.inherited ? { text: '' } : loadDocument(contract)
}

/** Read for each editor, once. */
export const documentQuery = (contract: Contract) =>
  queryOptions({
    queryKey: ['contract', 'document', contract.id],
    queryFn: ({ signal }) => loadDocument(contract, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

export interface Preview {
  readonly name?: string
  readonly version?: string
  readonly status?: string
  readonly apiVersion: string
  readonly schemaObjects: readonly string[]
  readonly hasMultipleObjects: boolean
  readonly problems: readonly ProblemDetail[]
  readonly warnings: readonly ProblemDetail[]
}

/** How many problems there are, with those that are not listed. */
export const countOf = (problems: readonly ProblemDetail[]): number =>
  problems.reduce((count, { message }) => count + Number(/^and (\d+) more problems/.exec(message)?.[1] ?? 1), 0)

/** Are its problems at lines of the document? */
export const isPlaced = ({ errors }: Problem): boolean => errors.some(({ line }) => line !== undefined)

const yaml = 'application/yaml'

/** What a document holds and what is wrong with it; one that cannot be read at all has only problems. */
export const previewQuery = (text: string) =>
  queryOptions({
    queryKey: ['odcs', 'preview', text],
    queryFn: async ({ signal }): Promise<Preview | { readonly problems: readonly ProblemDetail[] }> => {
      try {
        return (await call<Preview>('POST', `${path}/odcs/parse/yaml`, { body: text, contentType: yaml, signal })).data
      } catch (error) {
        if (error instanceof Problem && error.status === 400) {
          return { problems: error.errors.length > 0 ? error.errors : [{ path: '', message: error.message }] }
        }
        throw error
      }
    },
    enabled: text.trim() !== '',
    staleTime: Number.POSITIVE_INFINITY,
    // The text is its key: those that are written on are not kept.
    gcTime: 0,
  })

export interface Validation {
  readonly passed: number
  readonly failed: number
  readonly total: number
  readonly failedFields: readonly string[]
  readonly typeMismatchFields: readonly string[]
}

export interface Target {
  readonly type: string
  readonly id: string
}

const targetOf = ({ type, id }: Target, objectName?: string) => ({ entityId: id, entityType: type, objectName })

/** Compares a document with the asset; nothing is stored. */
export const validate = async (text: string, target: Target, objectName?: string): Promise<Validation> =>
  (
    await call<Validation>('POST', `${path}/odcs/validate/yaml`, {
      body: text,
      contentType: yaml,
      query: targetOf(target, objectName),
    })
  ).data

export interface Imported extends Contract {
  readonly warnings: readonly ProblemDetail[]
}

export interface ImportOptions {
  /** `replace` makes the contract what the document says, `merge` keeps what it leaves out. */
  readonly mode: 'merge' | 'replace'
  readonly objectName?: string | undefined
  /** Of the contract that was seen; `undefined`: there was none. */
  readonly etag: string | undefined
  /** Only tells what it would lead to. */
  readonly dryRun?: boolean
}

/** Makes the asset's contract from a document, or changes it. */
export const importDocument = async (text: string, target: Target, options: ImportOptions): Promise<Imported> => {
  const { mode, objectName, etag, dryRun } = options
  const query = { ...targetOf(target, objectName), mode, ...(dryRun && { dryRun: true }) }
  const answer = await call<Imported>('PUT', `${path}/odcs/yaml`, {
    body: text,
    contentType: yaml,
    ...onto(etag),
    query,
  })
  return answer.data
}

/** Where the contract is given away as a document. */
export const exportUrl = (id: string, form: 'yaml' | 'json'): string =>
  apiUrl(`${path}/${id}/odcs${form === 'yaml' ? '/yaml' : ''}`)

/** Compares the contract with its asset; the outcome becomes its latest result. */
export const validateContract = (id: string): Promise<unknown> => call('POST', `${path}/${id}/validate`)
