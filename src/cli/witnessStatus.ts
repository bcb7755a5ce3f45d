import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Config } from '../composition/settings/config.ts'
import { existingAuditKeys } from '../composition/keys/auditKeys.ts'
import { makeLogTree, type LogTree } from '../projections/tree/tree.ts'
import type { TreeTiles } from '../projections/tree/treeProjection.ts'
import { notesIn, openCheckpoint, type TreeCheckpoint } from '../transparency/checkpoint.ts'
import { NoteError } from '../transparency/note.ts'
import { openLog, vaultLocation } from '../composition/engines.ts'
import { personalMembers } from '../kinds/perKind.ts'
import { streamName } from '../events/events.ts'
import { kinds } from '../kinds/registry/kinds.ts'
import { pagesOf } from '../projections/entities/page.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { storedMembers } from '../api/entities/answers/entityText.ts'
import { isUnreadable } from '../shared/secrets/sealed.ts'
import { withResource } from './command/command.ts'
import { makePersonalAudit } from '../events/personal/sealing.ts'

interface WitnessStatus {
  readonly witness: string
  /**
   * Tree size of the newest checkpoint in a file, 0 without one; absent for addresses, which only the service knows.
   */
  readonly size?: number
  /** Number of events since that checkpoint. */
  readonly behind?: number
  /** When the file was last written, ISO 8601. */
  readonly time?: string
  /** Why the file is invalid or contradicts the log. */
  readonly problem?: string
}

/** Checks all checkpoints of a witness: each must extend the one before. */
const compareAll = async (
  config: Config,
  notes: readonly string[],
  tiles: TreeTiles,
  events: number | undefined,
): Promise<Omit<WitnessStatus, 'witness'>> => {
  const { keys } = existingAuditKeys(config)
  const tree = makeLogTree(tiles)
  let found: Omit<WitnessStatus, 'witness'> = { size: 0 }
  let before: TreeCheckpoint | undefined
  for (const note of notes) {
    const checkpoint = openCheckpoint(note, keys)
    const problem = before && contradiction(before, checkpoint)
    if (problem !== undefined) return { size: checkpoint.size, problem }
    before = checkpoint
    found = await compare(checkpoint, tree, events)
    if (found.problem !== undefined) return found
  }
  return found
}

const contradiction = (before: TreeCheckpoint, { size, root }: TreeCheckpoint): string | undefined => {
  if (size < before.size)
    return `it has a checkpoint of ${size} events behind one of ${before.size}: the key signed two histories`
  if (size === before.size && !root.equals(before.root))
    return `it has two checkpoints of ${size} events that differ: the key signed two histories`
  return undefined
}

const compare = async (
  { size, root }: TreeCheckpoint,
  tree: LogTree,
  events: number | undefined,
): Promise<Omit<WitnessStatus, 'witness'>> => {
  const head = await tree.head()
  if (events !== undefined && size > events)
    return { size, problem: `its checkpoint is of ${size} events, and the log has ${events}` }
  // The stored tree may lag behind the newest checkpoint.
  if (size > head.size) return { size }
  if (!(await tree.rootAt(size)).equals(root))
    return {
      size,
      problem: 'the log does not begin with the events that its checkpoint signs. Run: catalog audit verify',
    }
  return { size, behind: head.size - size }
}

const statusOfFile = async (
  config: Config,
  path: string,
  tiles: TreeTiles,
  events: number | undefined,
): Promise<WitnessStatus> => {
  try {
    if (!existsSync(path)) return { witness: path, size: 0 }
    const notes = notesIn(await readFile(path, 'utf8'))
    const { mtime } = await stat(path)
    if (notes.length === 0) return { witness: path, problem: 'it is there, and has no checkpoint' }
    return { witness: path, time: mtime.toISOString(), ...(await compareAll(config, notes, tiles, events)) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined && !(error instanceof NoteError)) throw error
    return { witness: path, problem: message }
  }
}

/**
 * Checks the configured witnesses, as far as possible from here.
 * @param events number of events in the log, if known
 */
export const witnessStatus = (config: Config, tiles: TreeTiles, events: number | undefined): Promise<WitnessStatus[]> =>
  Promise.all(
    config.auditWitness.targets.map(async (target) => {
      if (typeof target === 'string') return statusOfFile(config, target, tiles, events)
      // Without credentials in the address.
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
    return all.length > 0 ? all.join(', ') : 'only the service knows its witnesses: GET /api/v1/audit/witnesses'
  }
  return ['witnesses', ...witnesses.map((each) => `  ${each.witness}: ${textOf(each)}`)]
}

/** Streams with personal values, and whether the read models lack a value that could not be read when they were built. */
async function* subjects(lists: Pick<ReadModels, 'list'>) {
  const all = { include: 'all', scopes: [], edges: [], limit: Infinity } as const
  for (const kind of kinds) {
    const names = [...personalMembers(kind)]
    if (names.length === 0) continue
    for await (const { rows } of pagesOf(lists, { ...all, kind: kind.name, withRequested: true }))
      for (const row of rows) {
        const members = storedMembers(row)
        yield { stream: streamName(kind.name, row.id), lacks: names.some((name) => isUnreadable(members[name])) }
      }
  }
}

/** Number of problems that are named. */
const mostNamed = 10

/** Reads the personal values of all present users. @returns problems of their keys, for people */
export const personalProblems = async (config: Config, readModels: Pick<ReadModels, 'list'>): Promise<string[]> => {
  const findings = makePersonalAudit()
  let lacking = 0
  await withResource(openLog(config, { readOnly: true, observer: findings.observer }), async (log) => {
    for await (const { stream, lacks } of subjects(readModels)) {
      for await (const _ of log.readStream(stream));
      if (lacks) lacking++
    }
  })
  const problems = findings.all()
  const unnamed = problems.splice(mostNamed).length
  if (unnamed > 0)
    problems.push(`so it is for ${unnamed} more. Put back the keys of a backup: ${vaultLocation(config)}`)
  if (problems.length > 0 || lacking === 0) return problems
  const entities = lacking === 1 ? '1 entity' : `${lacking} entities`
  return [
    `the read models show values of ${entities} as (unreadable) that the log has again, since the keys are back. ` +
      'Run: catalog rebuild',
  ]
}
