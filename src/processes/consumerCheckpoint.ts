/** Where a consumer of the log keeps how far it has come, as a text. All processes that share a log share it. */
export interface CheckpointStore {
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
}

/** How far the integrity process has come. */
export interface IntegrityCheckpoint {
  /** Everything up to here has been followed; `undefined`: the beginning. */
  readonly position: bigint | undefined
  /** Up to here the log has been looked through; what of it has not been followed yet is pending. */
  readonly seen: bigint | undefined
  readonly pending: ReadonlyMap<string, bigint>
}

const text = (position: bigint | undefined): string | null => (position === undefined ? null : String(position))

const positionOf = (value: unknown): bigint | undefined => (typeof value === 'string' ? BigInt(value) : undefined)

export const formatCheckpoint = ({ position, seen, pending }: IntegrityCheckpoint): string =>
  JSON.stringify({
    position: text(position),
    seen: text(seen),
    pending: [...pending].map(([id, at]) => [id, String(at)]),
  })

/** @returns `undefined` for a text that was not written whole: then the log is looked through from its beginning */
export const parseCheckpoint = (stored: string | undefined): IntegrityCheckpoint | undefined => {
  try {
    const { position, seen, pending } = JSON.parse(stored ?? '') as Record<string, unknown>
    return {
      position: positionOf(position),
      seen: positionOf(seen),
      pending: new Map((pending as [string, string][]).map(([id, at]) => [id, BigInt(at)])),
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
