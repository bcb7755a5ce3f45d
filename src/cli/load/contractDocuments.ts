import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { membersDelta } from '../../commands/changes.ts'
import { splitFqn } from '../../kinds/names.ts'
import { contractKind, kindNamed, kinds } from '../../kinds/registry/kinds.ts'
import { toPlainJson } from '../../odcs/model/types.ts'
import { readDocument } from '../../odcs/read/readDocument.ts'
import { mapInChunks } from '../../shared/bounds.ts'
import { objectsOf, sameJson, type JsonObject } from '../../shared/json.ts'
import { CallError, callsAtOnce, type ApiClient } from '../client/apiClient.ts'
import { SourceError, type LoadFailure, type SourceContent, type SourceContract, type TextDocument } from './content.ts'
import { authorsOf, ifFound, replacedUserValues, listAll, type EntityPlan, type StepPlan } from './plan.ts'

/** Kinds that can have contracts of this form. */
const promised = kinds.filter(({ path }) => ['tables', 'topics'].includes(path))

const textsOf = (from: JsonObject, ...members: string[]): string[] =>
  members.flatMap((name) => (typeof from[name] === 'string' && from[name] !== '' ? [from[name]] : []))

/** Members of a server that say where its objects are stored. */
const placeMembers = 'database catalog project schema dataset'.split(' ')

const contractsOf = (file: string, document: TextDocument, parsed: JsonObject): SourceContract[] => {
  const places = objectsOf(parsed['servers']).map((server) => textsOf(server, ...placeMembers))
  return objectsOf(parsed['schema']).flatMap((object) => {
    const [called = '', ...others] = textsOf(object, 'name', 'physicalName')
    return called === '' ? [] : [{ file, document, object: called, name: others[0] ?? called, places }]
  })
}

const fileName = /\.(ya?ml|json)$/i

/** Calls a function with each contract file of a folder, once, whatever links lead to it. @throws SourceError */
const visitFiles = async (
  folder: string,
  visit: (path: string, name: string) => Promise<void>,
  problems: LoadFailure[],
): Promise<void> => {
  const seen = new Set<string>()
  const enter = async (path: string, name: string): Promise<void> => {
    const real = await realpath(path)
    if (seen.size === seen.add(real).size) return
    if (!(await stat(real)).isDirectory()) return fileName.test(name) ? visit(real, name) : undefined
    for (const inner of (await readdir(real)).toSorted()) {
      const innerName = join(name, inner)
      await enter(join(real, inner), innerName).catch((error: unknown) => {
        if (!isSystemError(error)) throw error
        problems.push({ fullyQualifiedName: innerName, message: `it cannot be read: ${error.message}` })
      })
    }
  }
  await enter(folder, '').catch((error: unknown) => {
    throw isSystemError(error) ? new SourceError(`${folder} cannot be read: ${error.message}`) : error
  })
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error

/** Reads the ODCS documents of a folder and its subfolders, in YAML or JSON. */
export const readContracts = async (folder: string, service: string | undefined): Promise<SourceContent> => {
  const contracts: SourceContract[] = []
  const problems: LoadFailure[] = []
  const readFrom = async (path: string, file: string): Promise<void> => {
    const type = /json$/i.test(file) ? 'json' : 'yaml'
    const bytes = await readFile(path)
    const read = readDocument(bytes, type)
    const document = { text: bytes.toString(), mediaType: `application/${type}` } as const
    const found = read.ok ? contractsOf(file, document, toPlainJson(read.document) as JsonObject) : []
    contracts.push(...found)
    if (read.ok && found.length > 0) return
    const [problem] = read.ok ? [] : read.problems
    const message = problem ? `${problem.path} (line ${problem.line}): ${problem.message}` : 'it has no schema object'
    problems.push({ fullyQualifiedName: file, message })
  }
  await visitFiles(folder, readFrom, problems)
  if (contracts.length + problems.length === 0)
    throw new SourceError(`${folder} has no contracts: files that end in .yaml, .yml or .json.`)
  return { source: 'odcs', service, steps: [], lineage: [], scopes: [], contracts, problems }
}

const lower = (text: string): string => text.toLowerCase()

const assetsOf = async (client: ApiClient, service: string | undefined) => {
  const lists = await mapInChunks(promised, callsAtOnce, async ({ name: kind, path }) => {
    const all = await listAll(client, path, { fields: '', ...(service !== undefined && { service }) })
    return all.map((row) => {
      const fullyQualifiedName = String(row['fullyQualifiedName'])
      const parts = splitFqn(fullyQualifiedName) ?? []
      return { id: String(row['id']), kind, fullyQualifiedName, parts, lowered: parts.map(lower) }
    })
  })
  return lists.flat()
}

type Asset = Awaited<ReturnType<typeof assetsOf>>[number]

type AssetTest = (asset: Asset) => boolean

/** Those that pass a test, or all where none does. */
const narrowed = (assets: readonly Asset[], test: AssetTest): readonly Asset[] => {
  const some = assets.filter(test)
  return some.length > 0 ? some : assets
}

/** Assets whose name ends in that of the object; of several, those in a place that the document names, and in its case. */
const assetsFor = (assets: readonly Asset[], { name, places }: SourceContract): readonly Asset[] => {
  const wanted = splitFqn(name) ?? [name]
  const endsIn = (parts: readonly string[], end: readonly string[]) => sameJson(parts.slice(-end.length), end)
  const isIn = (parts: readonly string[], all: readonly (readonly string[])[]) =>
    all.some((place) => place.length > 0 && place.every((part) => parts.includes(part)))
  const [end, folded] = [wanted.map(lower), places.map((place) => place.map(lower))]
  const tests: readonly AssetTest[] = [
    ({ lowered }) => isIn(lowered, folded),
    ({ parts }) => isIn(parts, places),
    ({ parts }) => endsIn(parts, wanted),
  ]
  return tests.reduce(
    narrowed,
    assets.filter(({ lowered }) => endsIn(lowered, end)),
  )
}

/** Members that every write changes. */
const stamps = new Set('version updatedAt updatedBy changeDescription odcs href warnings deleted'.split(' '))

const withoutStamps = (contract: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(contract).filter(([name]) => !stamps.has(name)))

/** What a document makes of the present contract, by a dry run. */
const planImport = async (
  client: ApiClient,
  target: string,
  document: TextDocument,
  overwrite: boolean,
  again: () => Promise<EntityPlan>,
): Promise<EntityPlan> => {
  const wanted = await client.putText(`${target}&dryRun=true`, document.text, document.mediaType)
  const entity = { fullyQualifiedName: String(wanted['fullyQualifiedName']), body: {}, document, path: target }
  const { path } = kindNamed(contractKind)
  const [standing, etag] = (await ifFound(client.getStanding(`${path}/${String(wanted['id'])}`))) ?? []
  if (standing === undefined) return { entity, outcome: 'created', changes: [], kept: [], again }
  const isChanged = standing['version'] !== wanted['version']
  const [before, after] = [withoutStamps(standing), withoutStamps(wanted)]
  const { set, unset } = membersDelta(before, after)
  const authors = isChanged && !overwrite ? await authorsOf(client, path, standing) : {}
  const kept = replacedUserValues(authors, before, after)
  const outcome = !isChanged || kept.length > 0 ? 'unchanged' : standing['deleted'] === true ? 'restored' : 'changed'
  const changes = outcome === 'unchanged' ? [] : [...Object.keys(set), ...unset]
  return { entity, outcome, changes, kept, etag, again }
}

/** What the document does not say goes, unless people wrote any of it: then the document is merged. */
const planContract = async (
  client: ApiClient,
  asset: Asset,
  contract: SourceContract,
  overwrite: boolean,
): Promise<EntityPlan> => {
  const { document, object } = contract
  const again = () => planContract(client, asset, contract, overwrite)
  const planned = (mode: string): Promise<EntityPlan> => {
    const query = new URLSearchParams({ entityId: asset.id, entityType: asset.kind, objectName: object, mode })
    const path = `${kindNamed(contractKind).path}/odcs${document.mediaType === 'application/yaml' ? '/yaml' : ''}`
    return planImport(client, `${path}?${query}`, document, overwrite, again)
  }
  const replaced = await planned('replace')
  return replaced.kept.length === 0 ? replaced : planned('merge')
}

/** Plans a load of contracts. Contracts without an asset, or with several, are problems. */
export const planContracts = async (
  client: ApiClient,
  { contracts = [], service }: SourceContent,
  overwrite: boolean,
): Promise<{ steps: StepPlan[]; problems: LoadFailure[] }> => {
  if (contracts.length === 0) return { steps: [], problems: [] }
  const assets = await assetsOf(client, service)
  const found = contracts.map((contract) => ({ contract, assets: assetsFor(assets, contract) }))
  const byAsset = Map.groupBy(found, ({ assets: [asset] }) => asset?.id)
  const problems: LoadFailure[] = []
  const plans = await mapInChunks(found, callsAtOnce, async ({ contract, assets: [asset, ...others] }) => {
    const { file, object, name } = contract
    const refuse = (message: string): void => void problems.push({ fullyQualifiedName: `${file}, ${object}`, message })
    if (asset === undefined) return refuse(`nothing is named ${name}: load it first`)
    const { fullyQualifiedName } = asset
    if (others.length > 0)
      return refuse(
        `several are named ${name}, among them ${fullyQualifiedName}. Name the database and the schema in the servers ` +
          `of the document${service === undefined ? ', or the service with --service' : ''}.`,
      )
    const files = (byAsset.get(asset.id) ?? []).map((one) => one.contract.file)
    if (files.length > 1)
      return refuse(`${files.join(' and ')} are contracts of ${fullyQualifiedName}: keep one of them`)
    return planContract(client, asset, contract, overwrite).catch((error: unknown) => {
      if (!(error instanceof CallError) || error.status !== 400) throw error
      refuse(error.message)
    })
  })
  const entities = plans.filter((plan) => plan !== undefined)
  return { steps: [{ path: kindNamed(contractKind).path, bulk: false, entities }], problems }
}
