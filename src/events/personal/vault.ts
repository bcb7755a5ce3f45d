export interface SubjectKey {
  readonly id: string
  /** 32 bytes; none: it was destroyed, and that is all that is kept of it. */
  readonly key: Buffer
}

export interface KeptKey extends SubjectKey {
  /** Stream of the entity whose values it seals. */
  readonly subject: string
  /** New values are sealed with another one. */
  readonly retired: boolean
}

/**
 * Keeps the keys of personal values, never in the log. Who destroys a key erases what it sealed, wherever it stands.
 */
export interface Vault {
  /** The key for new values of a subject; durable before it is given. */
  current(subject: string): Promise<SubjectKey>
  /** Keys by id; those that were destroyed are empty, and what is not known is not among them. */
  keys(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
  /** From now on new values are sealed with another key. @returns ids of all keys that the subject has */
  retire(subject: string): Promise<string[]>
  /** For ever, and it is remembered that they were, also of those that are not there. @param subject whose they are */
  destroy(subject: string, ids: readonly string[]): Promise<void>
  /** All that are there, or those of them that are retired. */
  all(only?: 'retired'): AsyncIterable<KeptKey>
  /** Takes keys over from another vault; those that are there stay. */
  add(keys: readonly KeptKey[]): Promise<void>
  close(): Promise<void>
}

/** Opens a vault when it is first used: most logs are read without any. */
export const openedLater = (open: () => Promise<Vault>): Vault => {
  let opened: Promise<Vault> | undefined
  const vault = (): Promise<Vault> =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    }))
  return {
    current: async (subject) => (await vault()).current(subject),
    keys: async (ids) => (await vault()).keys(ids),
    retire: async (subject) => (await vault()).retire(subject),
    destroy: async (subject, ids) => (await vault()).destroy(subject, ids),
    all: async function* (only) {
      yield* (await vault()).all(only)
    },
    add: async (keys) => (await vault()).add(keys),
    close: async () => {
      const found = await opened?.catch(() => undefined)
      opened = undefined
      await found?.close()
    },
  }
}
