import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { decrypt, encrypt, isEncrypted } from '../../shared/secrets/aesGcm.ts'
import { nameUuid } from '../../shared/uuids.ts'
import { isPersonal, redactedFor, type SealedValue } from '../../shared/secrets/sealed.ts'
import type { CatalogEvent, Members, RecordedEvent } from '../events.ts'
import type { SubjectKey, Vault } from './vault.ts'
import { mapReads, type EventStore, type MapEvents } from '../eventStore.ts'

/** Part of the storage format. */
const format = 'v1'

const pattern = /^v1:([0-9a-f-]{36}):(.*)$/

/** Additional authenticated data: a value can be decrypted only at its own place. */
const authenticatedData = (stream: string, member: string): string => `${stream}\n${member}`

const sealValue = (value: Json, { id, key }: SubjectKey, bound: string): SealedValue => ({
  $personal: `${format}:${id}:${encrypt(key, JSON.stringify(value), bound)}`,
  ...(typeof value !== 'string' && { $of: 'object' }),
})

/** Pseudo key of values that versions up to 0.2.0 wrote in plain text. When it is destroyed, they are shown as erased. */
const plainKeyOf = (stream: string): string => nameUuid(`plain personal values:${stream}`)

interface Forgotten {
  readonly stream: string
  readonly data: { readonly keys: readonly string[] }
}

/** All keys that are destroyed with a Forgotten event. */
export const keysToDestroy = ({ stream, data }: Forgotten): string[] => [...data.keys, plainKeyOf(stream)]

const keyIdOf = (value: Json, stream: string): string =>
  isPersonal(value) ? (pattern.exec(value.$personal)?.[1] ?? '') : plainKeyOf(stream)

/**
 * Called for each personal value that is read, and for each key whose destruction an event records. `unreadable`: the
 * key is missing or damaged.
 */
export type VaultObserver = (
  what: 'opened' | 'erased' | 'unreadable' | 'forgotten',
  key: string,
  stream: string,
) => void

const tryDecrypt = (key: Buffer, body: string, bound: string): Json | undefined => {
  try {
    return isEncrypted(body) ? (JSON.parse(decrypt(key, body, bound)) as Json) : undefined
  } catch {
    // The key has another length or is not the right one.
    return undefined
  }
}

interface Opening {
  readonly keys: ReadonlyMap<string, Buffer>
  readonly observer: VaultObserver | undefined
}

const openValue = (value: Json, stream: string, member: string, { keys, observer }: Opening): Json => {
  const id = keyIdOf(value, stream)
  const key = keys.get(id)
  const isErased = key?.length === 0
  const open = (): Json | undefined => {
    if (!isPersonal(value)) return value
    return key && tryDecrypt(key, pattern.exec(value.$personal)?.[2] ?? '', authenticatedData(stream, member))
  }
  const opened = isErased ? undefined : open()
  const reason = isErased ? 'erased' : 'unreadable'
  observer?.(opened === undefined ? reason : 'opened', id, stream)
  return opened ?? redactedFor(value, reason)
}

/** The members that an event sets, if any. */
const membersOf = (event: CatalogEvent): Members | undefined =>
  event.type === 'Created' ? event.data.members : event.type === 'Updated' ? event.data.set : undefined

const withMembers = <E extends CatalogEvent>(event: E, members: Members): E => {
  const data = { ...(event.data as JsonObject), [event.type === 'Created' ? 'members' : 'set']: members }
  return { ...event, data }
}

/**
 * The event to write: values of these members encrypted with the present key of the subject (a stream). Each life
 * begins with a key of its own.
 */
export const sealPersonal = async (
  vault: Pick<Vault, 'current' | 'retire'>,
  stream: string,
  event: CatalogEvent,
  names: ReadonlySet<string>,
): Promise<CatalogEvent> => {
  const members = membersOf(event)
  const personal = Object.keys(members ?? {}).filter((name) => names.has(name))
  if (members === undefined || personal.length === 0) return event
  if (event.type === 'Created') await vault.retire(stream)
  const key = await vault.current(stream)
  const sealed = personal.map((name) => [name, sealValue(members[name] as Json, key, authenticatedData(stream, name))])
  return withMembers(event, { ...members, ...(Object.fromEntries(sealed) as Members) })
}

/** The personal members of each kind. Logs may have events of kinds that only another version knows. */
type PersonalByKind = ReadonlyMap<string, ReadonlySet<string>>

/** Personal values in an event, by member: encrypted, or in plain text as older versions wrote them. */
const personalIn = (event: RecordedEvent, personal: PersonalByKind): [name: string, value: Json][] => {
  const members = isObject(event.data) ? membersOf(event) : undefined
  if (members === undefined) return []
  const names = personal.get(event.metadata.kind)
  return Object.entries(members).filter(([name, value]) => names?.has(name) || isPersonal(value))
}

const keysOfOpened = new WeakMap<RecordedEvent, readonly string[]>()

/** Ids of the keys of the personal values in an event that a {@link decryptingLog} gave. */
export const keysUsedIn = (event: RecordedEvent): readonly string[] => keysOfOpened.get(event) ?? []

interface OpeningOptions {
  readonly vault: Pick<Vault, 'keys'>
  readonly personal: PersonalByKind
  readonly observer?: VaultObserver | undefined
}

/** The events with personal values decrypted, or replaced by the reason why they cannot be. */
const openPersonal = async (
  events: readonly RecordedEvent[],
  { vault, personal, observer }: OpeningOptions,
): Promise<readonly RecordedEvent[]> => {
  for (const event of events)
    if (event.type === 'Forgotten') for (const key of keysToDestroy(event)) observer?.('forgotten', key, event.stream)
  const found = events.map((event) => {
    const values = personalIn(event, personal)
    return { event, values, ids: values.map(([, value]) => keyIdOf(value, event.stream)) }
  })
  const used = new Set(found.flatMap(({ ids }) => ids))
  if (used.size === 0) return events
  const keys = await vault.keys([...used])
  return found.map(({ event, values, ids }) => {
    if (values.length === 0) return event
    const opened = values.map(([name, value]) => [name, openValue(value, event.stream, name, { keys, observer })])
    const result = withMembers(event, { ...(membersOf(event) as Members), ...(Object.fromEntries(opened) as Members) })
    keysOfOpened.set(result, ids)
    return result
  })
}

/** A log that gives personal values as far as their keys exist. Appends are unchanged. */
export const decryptingLog = (log: EventStore, options: OpeningOptions): EventStore => {
  const open: MapEvents = (events) => openPersonal(events, options)
  return { ...log, ...mapReads(log, open), proven: { ...log.proven, ...mapReads(log.proven, open) } }
}

/**
 * Problems of the keys of personal values, according to the events read. Distinguishes unusable keys from keys whose
 * destruction is recorded by an event.
 */
export const makePersonalAudit = () => {
  const found = { opened: new Map(), erased: new Map(), unreadable: new Map(), forgotten: new Map() } as const
  const describe = (keys: ReadonlyMap<string, string>, isForgotten: boolean, what: string): string[] =>
    [...keys]
      .filter(([key]) => found.forgotten.has(key) === isForgotten)
      .map(([key, stream]) => `${stream}: its key ${key} ${what}.`)
  const lost = () => describe(found.unreadable, false, 'is missing or damaged, and no event says that it was destroyed')
  return {
    lost,
    observer: ((what, key, stream) => void found[what].set(key, stream)) satisfies VaultObserver,
    /** Messages for people; complete once a whole stream or log was read. */
    all: (): string[] => [
      ...lost(),
      ...describe(found.erased, false, 'was destroyed, and no event says so'),
      ...describe(
        found.opened,
        true,
        'is there, and an event says that it was destroyed: the next start destroys it again',
      ),
    ],
  }
}
