import type { Config } from '../composition/config.ts'
import { existingAuditKeys } from '../composition/keys/auditKeys.ts'
import { makeLogTree } from '../projections/tree/tree.ts'
import type { TreeTiles } from '../projections/tree/port.ts'
import { readNewestNote } from '../composition/keys/newestNote.ts'
import { openCheckpoint } from '../transparency/checkpoint.ts'
import { BadNote } from '../transparency/note.ts'

export interface WitnessStatus {
  readonly witness: string
  /** Events of the newest checkpoint that a file has, 0 without one; absent for addresses: only the service knows. */
  readonly size?: number
  /** Events of the tree beyond those. */
  readonly behind?: number
  /** When the file was last written, ISO 8601. */
  readonly time?: string
  /** What is wrong with the file, or with the log that it does not agree with. */
  readonly problem?: string
}

const compare = async (
  config: Config,
  note: string,
  tiles: TreeTiles,
  events: number | undefined,
): Promise<Omit<WitnessStatus, 'witness'>> => {
  const { size, root } = openCheckpoint(note, existingAuditKeys(config).keys)
  const tree = makeLogTree(tiles)
  const head = await tree.head()
  if (events !== undefined && size > events)
    return { size, problem: `its checkpoint is of ${size} events, and the log has ${events}` }
  // The tree may not have come to what the witness was given a moment ago.
  if (size > head.size) return { size }
  if (!(await tree.rootAt(size)).equals(root))
    return { size, problem: 'the log does not begin with what its checkpoint signs. Run: catalog audit verify' }
  return { size, behind: head.size - size }
}

const statusOfFile = async (
  config: Config,
  path: string,
  tiles: TreeTiles,
  events: number | undefined,
): Promise<WitnessStatus> => {
  try {
    const newest = await readNewestNote(path)
    if (newest?.note === undefined) return { witness: path, size: 0 }
    return { witness: path, time: newest.time, ...(await compare(config, newest.note, tiles, events)) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined && !(error instanceof BadNote)) throw error
    return { witness: path, problem: message }
  }
}

/**
 * Looks at what the configured witnesses have, as far as that can be seen from here.
 * @param events of the log, where known
 */
export const witnessStatus = (config: Config, tiles: TreeTiles, events: number | undefined): Promise<WitnessStatus[]> =>
  Promise.all(
    config.auditWitness.targets.map(async (target) => {
      if (typeof target === 'string') return statusOfFile(config, target, tiles, events)
      // Without what the address carries to get in.
      return { witness: `${target.origin}${target.pathname}` }
    }),
  )

export const witnessLines = (witnesses: readonly WitnessStatus[] = []): string[] => {
  if (witnesses.length === 0) return []
  const textOf = ({ size, behind, time, problem }: WitnessStatus): string => {
    if (size === 0) return 'has no checkpoint yet'
    const has = size === undefined ? [] : [`has a checkpoint of ${size} events, written ${time}`]
    const lag = behind === undefined ? [] : [behind === 0 ? 'up to date' : `${behind} events behind`]
    const rest = problem === undefined ? lag : [`PROBLEM: ${problem}`]
    const all = [...has, ...rest]
    return all.length > 0 ? all.join(', ') : 'only the service knows what it took: GET /api/v1/audit/witnesses'
  }
  return ['witnesses', ...witnesses.map((each) => `  ${each.witness}: ${textOf(each)}`)]
}
