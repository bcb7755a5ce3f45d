import { canonicalJson, isObject, sameJson, type Json, type JsonObject, jsonPointer } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import {
  childPlace,
  plainSecretOf,
  isSealed,
  maskSecrets,
  withVisibleText,
  visibleText,
  maskScalar,
  type SettingPlace,
} from '../../shared/secrets/sealed.ts'
import { isSafeName, mask } from '../../shared/secrets/shownText.ts'
import type { Problem, SecretCodec } from '../defineKind.ts'

interface Sealing {
  readonly secretCodec: SecretCodec
  readonly problems: Problem[]
}

interface Place {
  readonly stored: Json | undefined
  readonly path: string
  readonly at: SettingPlace
}

/**
 * The settings with each secret encrypted; a masked value keeps the stored secret. A secret that is sent is encrypted
 * anew even if it equals the stored one, so that a writer cannot find out whether a guess was right.
 * @param stored the present settings
 */
export const sealSecrets = (settings: Json, stored: Json | undefined, path: string, sealing: Sealing): Json => {
  const most = limits.secrets.value
  const secrets = countSecrets(settings, { name: '', secret: false })
  if (secrets > most) {
    sealing.problems.push({ path, message: `must have at most ${most} secret values and has ${secrets}` })
    return settings
  }
  const kept = sealValue(settings, { stored, path, at: { name: '', secret: false } }, sealing)
  return sameJson(kept, stored) ? kept : encrypted(kept, sealing.secretCodec)
}

const countSecrets = (value: Json, at: SettingPlace): number => {
  if (isSealed(value)) return 1
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countSecrets(item, at), 0)
  if (!isObject(value)) return maskScalar(value, at) === value ? 0 : 1
  return Object.entries(value).reduce((sum, [name, member]) => sum + countSecrets(member, childPlace(name, at)), 0)
}

const sealValue = (value: Json, place: Place, sealing: Sealing): Json => {
  if (isSealed(value)) return value
  if (Array.isArray(value)) return sealList(value, place, sealing)
  if (isObject(value)) return sealObject(value, place, sealing)
  return sealScalar(value, place, sealing)
}

const sealObject = (value: JsonObject, { stored, path, at }: Place, sealing: Sealing): JsonObject => {
  const old: JsonObject = isObject(stored) && !isSealed(stored) ? stored : {}
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const place = { stored: old[name], path: `${path}${jsonPointer(name)}`, at: childPlace(name, at) }
      if (!isSafeName(name))
        sealing.problems.push({
          path,
          message: 'has a member whose name looks like a secret: names are shown, so put it into a value',
        })
      return [name, sealValue(member, place, sealing)]
    }),
  )
}

/**
 * An item stands for the one stored item that looks the same; else for the one at its index, if none was removed, and if
 * that one looks the same as well or fewer look like it than before. So no secret goes to another item.
 */
const sealList = (value: Json[], { stored, path, at }: Place, sealing: Sealing): Json[] => {
  const old = Array.isArray(stored) ? stored : []
  const [looks, sent] = [old.map((item) => canonicalJson(maskSecrets(item))), value.map((item) => canonicalJson(item))]
  const [shown, wanted] = [placesOf(looks), placesOf(sent)]
  const storedAt = (look: string, index: number): Json | undefined => {
    const alike = shown.get(look) ?? []
    if (alike.length === 1) return wanted.get(look)?.[0] === index ? old[alike[0] as number] : undefined
    const present = looks[index]
    if (present === undefined || value.length < old.length) return undefined
    const isMissing = (wanted.get(present)?.length ?? 0) < (shown.get(present)?.length ?? 0)
    return present === look || (alike.length === 0 && isMissing) ? old[index] : undefined
  }
  return value.map((item, index) =>
    sealValue(item, { stored: storedAt(sent[index] as string, index), path: `${path}/${index}`, at }, sealing),
  )
}

const placesOf = (looks: readonly string[]): Map<string, number[]> =>
  Map.groupBy(looks.keys(), (index) => looks[index] as string)

const sealScalar = (
  value: null | boolean | number | string,
  { stored, path, at }: Place,
  { secretCodec, problems }: Sealing,
): Json => {
  if (isSealed(stored) && value === visibleText(stored)) return stored
  const shown = maskScalar(value, at)
  if (typeof value === 'string' && value.includes(mask)) {
    problems.push({
      path,
      message: `has ${mask} in it, and no secret is stored here that is shown so: send the secret itself`,
    })
    return value
  }
  return shown === value ? value : withVisibleText(secretCodec.seal(String(value)), String(shown))
}

/** The settings with plain secrets of older events encrypted. */
const encrypted = (value: Json, secretCodec: SecretCodec): Json => {
  if (Array.isArray(value)) return value.map((item) => encrypted(item, secretCodec))
  if (!isObject(value)) return value
  if (!isSealed(value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encrypted(member, secretCodec)]))
  const plain = plainSecretOf(value)
  if (plain === undefined) return value
  return withVisibleText(
    secretCodec.seal(typeof plain === 'string' ? plain : JSON.stringify(plain)),
    visibleText(value),
  )
}
