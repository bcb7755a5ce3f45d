import type { Checkpoint } from '../projection.ts'

/** A process that works on read models which it shares with others, as it last told of itself. */
export interface ProcessState {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** Of the catalog. */
  readonly version: string
  readonly startedAt: Date
  /** By its own clock. */
  readonly seenAt: Date
  readonly projects: boolean
  /** How far it knows the first projection to have come; `undefined`: nothing is applied. */
  readonly position: bigint | undefined
}

/**
 * What processes that share projections do together: one projects, the others follow its checkpoints. The lease only
 * saves work: rows are guarded by their revisions and checkpoints never go back, so that two that project at once
 * change nothing twice and lose nothing.
 */
export interface Sharing {
  readonly id: string
  /**
   * Takes the lease when it is free or its holder has given no sign for some seconds, or gives such a sign.
   * @param force takes it also from a holder that gives signs
   * @returns whether this process has it now
   */
  hold(force?: boolean): Promise<boolean>
  /** Gives it back, where this process has it. */
  release(): Promise<void>
  /** Whether nobody has it. */
  isFree(): Promise<boolean>
  /** Tells the others of this process, and how far it knows the first projection to have come. */
  report(position: bigint | undefined): Promise<void>
  leave(): Promise<void>
  /** All that told of themselves lately, the longest running first. */
  processes(): Promise<ProcessState[]>
  /** How far a projection has come in what is read at present: one small read. */
  shown(projection: string): Promise<Checkpoint | undefined>
}
