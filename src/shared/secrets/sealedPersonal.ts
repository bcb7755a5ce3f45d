import { isObject, type Json, type JsonObject } from '../json.ts'

/** The member that marks a sealed personal value; no request may have it. */
export const personalMember = '$personal'

/** What a person left out of a value, as events have it: readable as long as its key is kept. */
export interface SealedPersonal extends JsonObject {
  /** `v1:<id of the key>:<iv>:<ciphertext and tag>` */
  $personal: string
}

export const isPersonal = (value: Json | undefined): value is SealedPersonal =>
  isObject(value) && typeof value[personalMember] === 'string'

/** What is shown of a value that cannot be read: its key was destroyed, or cannot be had. */
export type Redaction = 'erased' | 'unreadable'

export const redactedFor = ({ $of }: SealedPersonal, reason: Redaction): Json =>
  $of === 'object' ? { [reason]: true } : `(${reason})`

export const isRedacted = (value: Json | undefined): boolean =>
  value === '(erased)' ||
  value === '(unreadable)' ||
  (isObject(value) && Object.keys(value).length === 1 && (value['erased'] === true || value['unreadable'] === true))
