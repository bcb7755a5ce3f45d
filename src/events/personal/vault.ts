export interface SubjectKey {
  readonly id: string
  /** 32 bytes; empty if the key was destroyed. */
  readonly key: Buffer
}

export interface VaultKey extends SubjectKey {
  /** Stream of the entity whose values it encrypts. */
  readonly subject: string
  /** Whether another key encrypts new values. */
  readonly retired: boolean
}

/** The keys of personal values, stored outside the log. Destroying a key erases every copy of the values it encrypted. */
export interface Vault {
  /** The key for new values of a subject, durable when returned. */
  current(subject: string): Promise<SubjectKey>
  /** Keys by id: destroyed ones are empty, unknown ones are missing. */
  keys(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
  /** Lets a new key encrypt further values. @returns ids of all keys of the subject */
  retire(subject: string): Promise<string[]>
  /** Destroys keys permanently, and records that, also for unknown ids. @param subject their owner */
  destroy(subject: string, ids: readonly string[]): Promise<void>
  /** All keys that are not destroyed, or only the retired ones. */
  all(only?: 'retired'): AsyncIterable<VaultKey>
  /** Imports keys from another vault; existing ones are unchanged. */
  add(keys: readonly VaultKey[]): Promise<void>
  close(): Promise<void>
}

/** Opens a vault at its first use: most logs need none. */
export const lazyVault = (open: () => Promise<Vault>): Vault => {
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
