import type { JsonObject } from '../../shared/json.ts'
import { childFqn } from '../../kinds/names.ts'
import { titled } from '../columnNames.ts'
import { randomFor } from '../random.ts'
import { dashboardRequests, modelRequests } from './dashboards.ts'
import { areas, belongsTo, membersOf, teamOf, users } from './people.ts'
import { each, refer, type Deed, type Step } from './step.ts'
import { topicFqn, topicRequests } from './streams.ts'
import { tables } from './warehouseTables.ts'

interface Asset {
  readonly type: string
  readonly path: string
  readonly fullyQualifiedName: string
  readonly domain: string
}

const fqnOf = (request: JsonObject): string => childFqn(request['service'] as string, request['name'] as string)
const firstDomain = (request: JsonObject): string => (request['domains'] as string[])[0] as string

const assetsOf = (type: string, path: string, requests: readonly JsonObject[]): Asset[] =>
  requests.map((request) => ({ type, path, fullyQualifiedName: fqnOf(request), domain: firstDomain(request) }))

const tableAssets = (layers: readonly string[]): Asset[] =>
  tables
    .filter(({ layer }) => layers.includes(layer))
    .map(({ fullyQualifiedName, domain }) => ({ type: 'table', path: 'tables', fullyQualifiedName, domain }))

const topics: Asset[] = topicRequests.map((request) => ({
  type: 'topic',
  path: 'topics',
  fullyQualifiedName: topicFqn(request),
  domain: firstDomain(request),
}))
const dashboards = assetsOf('dashboard', 'dashboards', dashboardRequests)
const models = assetsOf('mlmodel', 'mlmodels', modelRequests)
const offered = [...tableAssets(['mart']), ...topics, ...dashboards, ...models]
const sources = tableAssets(['source'])

interface Product {
  readonly name: string
  readonly domain: string
  readonly request: JsonObject
}

/** One product for each part of the business that offers something. */
const products: readonly Product[] = areas.flatMap(({ name: area, parts }) =>
  parts.flatMap(({ name: part, description }) => {
    const domain = `${area}.${part}`
    if (!offered.some((asset) => asset.domain === domain)) return []
    const name = `${part.toLowerCase().replaceAll(' ', '_')}_data`
    const request = {
      name,
      displayName: titled(name),
      description: `${description} For everybody who needs it.`,
      domains: [domain],
      experts: membersOf(domain).slice(0, 2),
      owners: belongsTo(part)['owners'] as JsonObject[],
      style: { color: '#1b7f5c' },
    }
    return [{ name, domain, request }]
  }),
)

const deed = (product: Product, verb: string, assets: readonly Asset[]): Deed => ({
  path: 'dataProducts',
  fullyQualifiedName: product.name,
  verb,
  body: { assets: assets.map(({ type, fullyQualifiedName }) => refer(type, fullyQualifiedName)) },
})

const productDeeds = (product: Product): Deed[] => {
  const assets = offered.filter(({ domain }) => domain === product.domain)
  const inputs = sources.filter(({ domain }) => domain.split('.')[0] === product.domain.split('.')[0]).slice(0, 5)
  const outputs = assets.filter(({ type }) => type !== 'mlmodel').slice(0, 3)
  return [
    deed(product, 'assets/add', assets),
    ...(inputs.length > 0 ? [deed(product, 'inputPorts/add', inputs)] : []),
    ...(outputs.length > 0 ? [deed(product, 'outputPorts/add', outputs)] : []),
  ]
}

/** Contracts of whole products, which their assets inherit. */
const productContracts = products
  .filter((_, index) => index % 3 === 0)
  .map(({ name, domain }) => ({
    name: `${name}_contract`,
    entity: refer('dataProduct', name),
    entityStatus: 'Active',
    description: `Holds for every asset of ${titled(name)} that has no contract of its own.`,
    sla: { refreshFrequency: 'P1D', latency: 'PT4H', availability: 99.5 },
    termsOfUse: 'Use within Juniper Outfitters only.',
    security: { dataClassification: 'internal' },
    owners: [refer('team', teamOf(domain))],
  }))

const loved = [...tableAssets(['mart', 'source']), ...topics, ...dashboards, ...models]

/** Popular assets have more followers. */
const follows: readonly Deed[] = loved.flatMap(({ path, fullyQualifiedName }) => {
  const random = randomFor(`followers ${fullyQualifiedName}`)
  const followers = random.chance(0.4) ? random.sample(users, random.between(1, 4)) : []
  return followers.map(({ name }) => ({ path, fullyQualifiedName, verb: 'followers', body: { idOfUser: name } }))
})

const votes: readonly Deed[] = loved.flatMap(({ path, fullyQualifiedName }) => {
  const random = randomFor(`votes ${fullyQualifiedName}`)
  const voters = random.chance(0.5) ? random.sample(users, random.between(1, 5)) : []
  return voters.map(({ name }) => ({
    path,
    fullyQualifiedName,
    verb: 'vote',
    body: { updatedVoteType: random.chance(0.85) ? 'votedUp' : 'votedDown' },
    by: name,
  }))
})

/** Data products with their assets, ports and contracts; then what users think of it all. */
export const productSteps = (): Step[] => [
  each(
    'data products',
    'dataProducts',
    products.map(({ request }) => request),
  ),
  { title: 'assets and ports', deeds: products.flatMap(productDeeds) },
  each('contracts of products', 'dataContracts', productContracts),
  { title: 'followers', deeds: follows },
  { title: 'votes', deeds: votes },
]
