export interface SubjectKey {
  readonly id: string
  /** 32 bytes. */
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
  /** Keys by id; those that were destroyed are not among them. */
  keys(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
  /** From now on new values are sealed with another key. @returns ids of all keys that the subject has had */
  retire(subject: string): Promise<string[]>
  /** For ever. */
  destroy(ids: readonly string[]): Promise<void>
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
    destroy: async (ids) => (await vault()).destroy(ids),
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
