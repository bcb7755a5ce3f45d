const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''))

/** `awsSecretAccessKey` → aws, secret, access, key. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/** Last words of harmless setting names. Any other name counts as secret; the list grows with platforms. */
const harmless = set(`
  host hostname server endpoint url uri address domain ip port broker node path file filename folder dir directory
  hostport bootstrap origin
  prefix suffix extension bucket container location region zone site cluster environment stage
  database db dbname databasename catalog schema schemaname table view topic queue index indices
  keyspace warehouse workgroup workspace project dataset space namespace group team org organization organisation tenant
  account partition shard sid service app application instance applicationname servername source resource
  collection registry storage ssl tls
  type kind name scheme protocol driver dialect engine vendor edition version class format encoding charset
  collation locale language timezone compression codec mode method level policy strategy style algorithm mechanism
  provider manager authenticator category platform flavor flavour sslmode authtype connector backend framework
  enabled disabled required supported allowed
  timeout size limit count interval second minute hour day millisecond ms period delay retry retries attempt depth max
  min length ttl lifetime expiry expires expiration worker thread rate ratio threshold offset frequency schedule batch
  date time created updated start end since until
  include exclude pattern filter
  arn
`)

/** Last words of names that identify a person. Shown as settings, but not inside addresses. */
const persons = set('user username userid uid email owner principal role login')

/** Harmless pairs of last words, joined. */
const harmlessPairs = set(`
  projectid tenantid clientid accountid workspaceid warehouseid organizationid organisationid orgid subscriptionid
  directoryid applicationid appid clusterid databaseid catalogid datasetid siteid keyid groupid teamid regionid spaceid
  serviceid collectionid reportid dashboardid resourceid instanceid consumerid poolid endpointid capacityid
  publickey primarykey partitionkey sortkey foreignkey clusterkey clusteringkey distributionkey projectkey routingkey
  searchpath currentschema initialcatalog externalbrowser
`)

/** Words that denote a secret anywhere in a name. */
const secret = set(`
  password passwd pwd pass pw passcode passphrase secret credential authorization dsn sas token pat key jwt pin otp totp
  hmac cookie bearer basic auth keytab salt nonce cvv signature sig session
`)

const runTogether =
  /(password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|secretkey|accountkey|masterkey|credential)$/

const singular = (word: string): string => word.replace(/(?<=[^s])s$/, '')

const isIn = (words: ReadonlySet<string>, word: string): boolean => words.has(word) || words.has(singular(word))

/** Whether a setting of this name identifies a person. */
export const isPersonName = (name: string): boolean => {
  const [last = '', before = ''] = wordsOf(name).toReversed()
  return isIn(persons, last) || ((last === 'name' || last === 'id') && isIn(persons, before))
}

/** Whether a setting of this name is harmless, whatever its value. */
export const isHarmlessName = (name: string): boolean => {
  const words = wordsOf(name)
  const last = words.at(-1)
  if (last === undefined || isPersonName(name)) return false
  return isIn(harmless, last) || isIn(harmlessPairs, words.slice(-2).join(''))
}

/** Whether a name denotes a secret. Then even a number is one. */
export const isSecretName = (name: string): boolean =>
  !isHarmlessName(name) &&
  !isPersonName(name) &&
  wordsOf(name).some((word) => isIn(secret, word) || runTogether.test(singular(word)))

/** Shown in place of a secret. Sent back, it stands for the stored secret. */
export const mask = '********'

/** Longer texts count as secret. */
const maxLength = 1024

/** Words, names, numbers, paths, hosts with ports and patterns: texts without the delimiters of credentials. */
const plain = /^[\p{L}\p{N}\p{M} _.,:/\\+*()[\]{}^$|<>'"!~-]*$/u

const email = /^[\w.+-]+@[\w.-]+$/

const address =
  /^((?:[a-z][a-z0-9+.-]*:)*[a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?(?:#(.*))?$/i

const hosts = /^(?:(?:[\w.*-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:,(?!$)|$))*$/i

/** An Oracle address without credentials. */
const thin = /^jdbc:oracle:\w+:@(?:\/\/)?[\w.:/-]+$/i

/** One `name=value` of a semicolon-separated string; a value in braces or quotes may contain semicolons. */
const part = /(?:\{[^{}]*\}|"[^"]*"|'[^']*'|[^;{"'])+/g

const knownTokens =
  /^(?:eyj[\w-]+\.|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|sk_|pk_live|rk_|dapi[0-9a-f]{8}|aiza|ya29\.|sg\.|hvs\.|-----begin|(?:bearer|basic|digest|negotiate|token|apikey)\s)/i

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Long mixed runs of letters and digits, or of hexadecimal digits. */
const isRandom = (word: string): boolean => {
  if (word.length < 20 || uuid.test(word)) return false
  if (word.length >= 32 && /^[0-9a-f]+$/i.test(word) && /\d/.test(word)) return true
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && (word.match(/\d+/g)?.length ?? 0) >= 3
}

/** Whether a text looks like a generated token. */
const looksLikeToken = (text: string): boolean => knownTokens.test(text) || text.split(/[^\w+-]+/).some(isRandom)

const isPlain = (text: string): boolean => text.length <= maxLength && plain.test(text) && !looksLikeToken(text)

/** Whether a member may have this name: names are never masked. */
export const isSafeName = (name: string): boolean =>
  name.length <= 256 && !/:\/\/|=|.@/.test(name) && !looksLikeToken(name)

/** The visible value in a query or semicolon string; values that identify people are hidden there. */
const maskValue = (name: string, value: string): string =>
  value === '' || /^(?:true|false|yes|no)$/i.test(value) || (isHarmlessName(name) && isPlain(value)) ? value : mask

const maskPair = (pair: string): string => {
  const at = pair.indexOf('=')
  if (at < 0) return pair.trim() === '' ? pair : mask
  const name = pair.slice(0, at)
  return isSafeName(name) ? `${name}=${maskValue(name, pair.slice(at + 1))}` : mask
}

const maskPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => (isPlain(segment) ? segment : mask))
    .join('/')

/** The visible part of an address; `undefined` if it cannot be parsed, and then nothing is shown. */
const maskAddress = (text: string): string | undefined => {
  const [, scheme, user, host = '', path = '', query, fragment] = address.exec(text) ?? []
  // A password that contains / ? or # would end the authority too early.
  if (`${path}${query}${fragment}`.includes('@')) return undefined
  if (scheme === undefined || !hosts.test(host)) return undefined
  const shownQuery = query?.split('&').map(maskPair).join('&')
  return (
    scheme +
    (user === undefined ? '' : `${mask}@`) +
    host +
    maskPath(path) +
    (shownQuery === undefined ? '' : `?${shownQuery}`) +
    (fragment === undefined ? '' : `#${isPlain(fragment) ? fragment : mask}`)
  )
}

const maskPairs = (text: string): string => {
  const parts = text.match(part) ?? []
  if (parts.join(';') !== text.replace(/^;+|(?<!;);+$/g, '') || parts.length === 0) return mask
  const [first = '', ...rest] = parts
  const head = first.includes('=') && !first.includes('://') ? maskPair(first) : maskWhole(first)
  return [head, ...rest.map(maskPair)].join(';') + (text.endsWith(';') ? ';' : '')
}

const maskWhole = (text: string): string => {
  if (thin.test(text)) return text
  if (text.includes('://')) return maskAddress(text) ?? mask
  return isPlain(text) ? text : mask
}

/** Masks a setting: not at all if name and text are harmless; only credentials of addresses and semicolon strings. */
export const maskText = (name: string, text: string): string => {
  if (text === '' || text === mask) return text
  if (text.length > 4 * maxLength) return mask
  if (isPersonName(name)) return isPlain(text) || (email.test(text) && !looksLikeToken(text)) ? text : mask
  if (!isHarmlessName(name)) return mask
  return text.includes(';') ? maskPairs(text) : maskWhole(text)
}
