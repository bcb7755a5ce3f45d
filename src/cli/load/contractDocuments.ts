import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { splitFqn } from '../../kinds/names.ts'
import { contractKind, kindNamed, kinds } from '../../kinds/registry/kinds.ts'
import { plain, readDocument } from '../../odcs/index.ts'
import { isObject, objectsOf, sameJson, type JsonObject } from '../../shared/json.ts'
import { CallError, type ApiClient } from '../client/apiClient.ts'
import { mapConcurrently } from '../client/mapConcurrently.ts'
import { SourceError, type LoadFailure, type SourceContent, type SourceContract } from './content.ts'
import { authorsOf, ifThere, userValues, listAll, type EntityPlan, type StepPlan } from './plan.ts'

/** Kinds that can have contracts of this form. */
const promised = kinds.filter(({ path }) => ['tables', 'topics'].includes(path))

const textsOf = (from: JsonObject, ...members: string[]): string[] =>
  members.flatMap((name) => (typeof from[name] === 'string' && from[name] !== '' ? [from[name]] : []))

/** Members of a server that say where its objects are stored. */
const placeMembers = 'database catalog project schema dataset'.split(' ')

const contractsOf = (file: string, document: JsonObject): SourceContract[] => {
  const places = objectsOf(document['servers']).map((server) => textsOf(server, ...placeMembers))
  return objectsOf(document['schema']).flatMap((object) => {
    const [called = '', ...others] = textsOf(object, 'name', 'physicalName')
    return called === '' ? [] : [{ file, document, object: called, name: others[0] ?? called, places }]
  })
}

/** Reads the ODCS documents of a folder and its subfolders, in YAML or JSON. */
export const readContracts = async (folder: string, service: string | undefined): Promise<SourceContent> => {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new SourceError(`${folder} cannot be read: ${(error as Error).message}`)
  })
  const files = names.filter((name) => /\.(ya?ml|json)$/i.test(name)).toSorted()
  if (files.length === 0) throw new SourceError(`${folder} has no contracts: files that end in .yaml, .yml or .json.`)
  const contracts: SourceContract[] = []
  const problems: LoadFailure[] = []
  for (const file of files) {
    const type = /json$/i.test(file) ? 'json' : 'yaml'
    const read = readDocument(await readFile(join(folder, file)), type)
    const found = read.ok ? contractsOf(file, plain(read.document) as JsonObject) : []
    contracts.push(...found)
    if (read.ok && found.length > 0) continue
    const [problem] = read.ok ? [] : read.problems
    const message = problem ? `${problem.path} (line ${problem.line}): ${problem.message}` : 'it has no schema object'
    problems.push({ fullyQualifiedName: file, message })
  }
  return { source: 'odcs', service, steps: [], lineage: [], scopes: [], contracts, problems }
}

interface Asset {
  readonly id: string
  readonly kind: string
  readonly fullyQualifiedName: string
  /** Lower case. */
  readonly parts: readonly string[]
}

const lower = (text: string): string => text.toLowerCase()

const assetsOf = async (client: ApiClient, service: string | undefined): Promise<Asset[]> => {
  const lists = await mapConcurrently(promised, async ({ name: kind, path }) => {
    const all = await listAll(client, path, { fields: '', ...(service !== undefined && { service }) })
    return all.map(({ id, fullyQualifiedName }): Asset => {
      const fqn = String(fullyQualifiedName)
      return { id: String(id), kind, fullyQualifiedName: fqn, parts: (splitFqn(fqn) ?? []).map(lower) }
    })
  })
  return lists.flat()
}

/** Assets whose name ends in that of the object; of several, those in a place that the document names. */
const assetsFor = (assets: readonly Asset[], { name, places }: SourceContract): readonly Asset[] => {
  const wanted = (splitFqn(name) ?? [name]).map(lower)
  const named = assets.filter(({ parts }) => sameJson(parts.slice(-wanted.length), wanted))
  const placed = named.filter(({ parts }) =>
    places.some((place) => place.length > 0 && place.every((part) => parts.includes(lower(part)))),
  )
  return placed.length > 0 ? placed : named
}

/** Members that every write changes. */
const stamps = new Set(['version', 'updatedAt', 'updatedBy', 'changeDescription', 'odcs', 'href', 'warnings'])

const standingOf = async (client: ApiClient, asset: Asset): Promise<JsonObject | undefined> => {
  const query = new URLSearchParams({ entityId: asset.id, entityType: asset.kind, fields: '*' })
  const found = await ifThere(client.get(`${kindNamed(contractKind).path}/entity?${query}`))
  const entity = found?.['entity']
  return isObject(entity) && entity['id'] === asset.id ? found : undefined
}

/** Compares a document with the present contract, by a dry run. */
const planContract = async (
  client: ApiClient,
  asset: Asset,
  { document, object }: SourceContract,
  overwrite: boolean,
): Promise<EntityPlan> => {
  const { path } = kindNamed(contractKind)
  const query = new URLSearchParams({ entityId: asset.id, entityType: asset.kind, objectName: object })
  const target = `${path}/odcs?${query}`
  const standing = await standingOf(client, asset)
  const wanted = await client.put(`${target}&dryRun=true`, document)
  const entity = { fullyQualifiedName: String(wanted['fullyQualifiedName']), body: document, path: target }
  if (standing === undefined) return { entity, outcome: 'created', changes: [], kept: [] }
  const isChanged = standing['version'] !== wanted['version']
  const names = [...new Set([...Object.keys(standing), ...Object.keys(wanted)])].filter((name) => !stamps.has(name))
  const changes = isChanged ? names.filter((name) => !sameJson(standing[name], wanted[name])) : []
  const authors = isChanged && !overwrite ? await authorsOf(client, path, standing) : {}
  const kept = userValues(authors, changes)
  const outcome = isChanged && kept.length === 0 ? 'changed' : 'unchanged'
  return { entity, outcome, changes: outcome === 'changed' ? changes : [], kept }
}

/** Plans a load of contracts. Contracts without an asset, or with several, are problems. */
export const planContracts = async (
  client: ApiClient,
  { contracts = [], service }: SourceContent,
  overwrite: boolean,
): Promise<{ steps: StepPlan[]; problems: LoadFailure[] }> => {
  if (contracts.length === 0) return { steps: [], problems: [] }
  const assets = await assetsOf(client, service)
  const problems: LoadFailure[] = []
  const plans = await mapConcurrently(contracts, async (contract) => {
    const { file, object, name } = contract
    const refuse = (message: string): void => void problems.push({ fullyQualifiedName: `${file}, ${object}`, message })
    const [asset, ...others] = assetsFor(assets, contract)
    if (asset === undefined) return refuse(`nothing is named ${name}: load it first`)
    if (others.length > 0)
      return refuse(`several are named ${name}, among them ${asset.fullyQualifiedName}: say which with --service`)
    return planContract(client, asset, contract, overwrite).catch((error: unknown) => {
      if (!(error instanceof CallError) || error.status !== 400) throw error
      refuse(error.message)
    })
  })
  const entities = plans.filter((plan) => plan !== undefined)
  return { steps: [{ path: kindNamed(contractKind).path, bulk: false, entities }], problems }
}
