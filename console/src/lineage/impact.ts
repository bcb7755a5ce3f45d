import { call, Problem } from '../api/client.ts'
import { idPath } from '../api/reads.ts'
import type { Reference } from '../api/types.ts'
import type { LineageNode } from './queries.ts'

export interface ImpactedAsset extends LineageNode {
  /** Left out: lineage does not say which. */
  readonly columns?: readonly string[]
  readonly owners?: readonly Reference[]
  readonly contract?: Reference & { readonly entityStatus?: string; readonly columns: readonly string[] }
  readonly tests?: readonly Reference[]
}

/** What a change would break. */
export interface Impact {
  readonly breaking: boolean
  readonly changes: readonly {
    readonly column: string
    readonly change: 'removed' | 'typeChanged'
    readonly from?: string
    readonly to?: string
  }[]
  readonly assets: readonly ImpactedAsset[]
  readonly truncated: boolean
}

/** Does somebody name what is broken: an asset below, a contract or a test? */
export const isFelt = ({ assets }: Impact): boolean =>
  assets.some(
    ({ depth, contract, tests = [] }) => depth !== 0 || tests.length > 0 || (contract?.columns.length ?? 0) > 0,
  )

/** Asks what other values of members would break; `null`: whoever asks may not see lineage. */
export const askImpact = async (
  kind: string,
  id: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Impact | null> => {
  try {
    const contentType = 'application/merge-patch+json'
    return (await call<Impact>('POST', `${idPath(kind, id)}/impact`, { body, contentType })).data
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return null
    throw error
  }
}
