const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''))

/** `awsSecretAccessKey` → aws, secret, access, key. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/** Last words of settings that open nothing. What is not here is taken for a secret: the list grows with platforms. */
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

/** Last words that name somebody. They are shown as settings of their own, but not inside of addresses. */
const persons = set('user username userid uid email owner principal role login')

/** Last two words, run together. */
const harmlessPairs = set(`
  projectid tenantid clientid accountid workspaceid warehouseid organizationid organisationid orgid subscriptionid
  directoryid applicationid appid clusterid databaseid catalogid datasetid siteid keyid groupid teamid regionid spaceid
  serviceid collectionid reportid dashboardid resourceid instanceid consumerid poolid endpointid capacityid
  publickey primarykey partitionkey sortkey foreignkey clusterkey clusteringkey distributionkey projectkey routingkey
  searchpath currentschema initialcatalog externalbrowser
`)

/** Words that speak of a secret, wherever they stand in a name. */
const secret = set(`
  password passwd pwd pass pw passcode passphrase secret credential authorization dsn sas token pat key jwt pin otp totp
  hmac cookie bearer basic auth keytab salt nonce cvv signature sig session
`)

const runTogether =
  /(password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|secretkey|accountkey|masterkey|credential)$/

const singular = (word: string): string => word.replace(/(?<=[^s])s$/, '')

const isIn = (words: ReadonlySet<string>, word: string): boolean => words.has(word) || words.has(singular(word))

/** Does a setting of this name say who somebody is? */
export const isPersonName = (name: string): boolean => {
  const [last = '', before = ''] = wordsOf(name).toReversed()
  return isIn(persons, last) || ((last === 'name' || last === 'id') && isIn(persons, before))
}

/** Does a setting of this name hold nothing that opens anything, whatever its text is made of? */
export const isHarmlessName = (name: string): boolean => {
  const words = wordsOf(name)
  const last = words.at(-1)
  if (last === undefined || isPersonName(name)) return false
  return isIn(harmless, last) || isIn(harmlessPairs, words.slice(-2).join(''))
}

/** Does a name speak of a secret? Then even a number is one. */
export const isSecretName = (name: string): boolean =>
  !isHarmlessName(name) &&
  !isPersonName(name) &&
  wordsOf(name).some((word) => isIn(secret, word) || runTogether.test(singular(word)))
