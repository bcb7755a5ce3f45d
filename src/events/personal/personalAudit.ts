import type { PersonalObserver } from './sealing.ts'

/**
 * Problems of the keys of personal values, according to the events read. Distinguishes unusable keys from keys whose
 * destruction is recorded by an event.
 */
export const makePersonalAudit = () => {
  const found = { opened: new Map(), erased: new Map(), unreadable: new Map(), forgotten: new Map() } as const
  const told = (keys: ReadonlyMap<string, string>, isForgotten: boolean, what: string): string[] =>
    [...keys]
      .filter(([key]) => found.forgotten.has(key) === isForgotten)
      .map(([key, stream]) => `${stream}: its key ${key} ${what}.`)
  return {
    observer: ((what, key, stream) => void found[what].set(key, stream)) satisfies PersonalObserver,
    /** Messages for people; complete once a whole stream or log was read. */
    all: (): string[] => [
      ...told(found.unreadable, false, 'is missing or damaged, and no event says that it was destroyed'),
      ...told(found.erased, false, 'was destroyed, and no event says so'),
      ...told(
        found.opened,
        true,
        'is there, and an event says that it was destroyed: the next start destroys it again',
      ),
    ],
  }
}
