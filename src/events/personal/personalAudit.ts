import type { PersonalObserver } from './sealing.ts'

/** Problems of the keys of personal values, according to the events read. */
export interface PersonalAudit {
  readonly observer: PersonalObserver
  /** Messages for people; complete once a whole stream or log was read. */
  all(): string[]
}

/** Distinguishes unusable keys from keys whose destruction is recorded by an event. */
export const makePersonalAudit = (): PersonalAudit => {
  const found = {
    unreadable: new Map<string, string>(),
    erased: new Map<string, string>(),
    opened: new Map<string, string>(),
  }
  const forgotten = new Set<string>()
  const note = (keys: Map<string, string>) => (stream: string, key: string) => void keys.set(key, stream)
  const told = (keys: ReadonlyMap<string, string>, isForgotten: boolean, what: string): string[] =>
    [...keys]
      .filter(([key]) => forgotten.has(key) === isForgotten)
      .map(([key, stream]) => `${stream}: its key ${key} ${what}.`)
  return {
    observer: {
      unreadable: note(found.unreadable),
      erased: note(found.erased),
      opened: note(found.opened),
      forgotten: (keys) => keys.forEach((key) => forgotten.add(key)),
    },
    all: () => [
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
