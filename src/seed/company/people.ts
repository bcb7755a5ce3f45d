import type { JsonObject } from '../../shared/json.ts'
import { titled } from '../columnNames.ts'
import { randomFor } from '../random.ts'
import { domainsText, firstNames, lastNames } from '../vocabulary/people.ts'
import { each, refer, type Step } from './step.ts'

/** Where mail of the company goes; reserved for examples. */
const mailDomain = 'juniper-outfitters.example'

interface Part {
  readonly name: string
  readonly description: string
}

export interface Area {
  readonly name: string
  readonly team: string
  readonly parts: readonly Part[]
}

/** The business areas: each is a domain with sub-domains and has a team. */
export const areas: readonly Area[] = domainsText
  .trim()
  .split('\n')
  .map((line) => {
    const [head = '', ...parts] = line.split('|').map((text) => text.trim())
    const [name = '', team = ''] = head.split(':').map((text) => text.trim())
    return {
      name,
      team,
      parts: parts.map((part) => {
        const [partName = '', description = ''] = part.split('=').map((text) => text.trim())
        return { name: partName, description: `${description}.` }
      }),
    }
  })

/** The domain, as an FQN, that a part belongs to. @throws Error when no area has such a part */
export const domainOf = (part: string): string => {
  const area = areas.find(({ parts }) => parts.some(({ name }) => name === part))
  if (area === undefined) throw new Error(`No area has the part ${part}.`)
  return `${area.name}.${part}`
}

/** The team that answers for a domain, given by its FQN. */
export const teamOf = (domain: string): string =>
  areas.find(({ name }) => domain.split('.')[0] === name)?.team ?? 'company'

/** What an asset of a part says about who is responsible. */
export const belongsTo = (part: string): JsonObject => {
  const domain = domainOf(part)
  return { domains: [domain], owners: [refer('team', teamOf(domain))] }
}

const userCount = 60

/** Names of the users, and the team of each. */
export const users: readonly { name: string; displayName: string; team: string }[] = Array.from(
  { length: userCount },
  (_, index) => {
    const first = firstNames[index % firstNames.length] as string
    const last = lastNames[(index * 7 + Math.floor(index / firstNames.length)) % lastNames.length] as string
    return {
      name: `${first}_${last}`.toLowerCase(),
      displayName: `${first} ${last}`,
      team: (areas[index % areas.length] as Area).team,
    }
  },
)

/** Users of the team that answers for a domain. */
export const membersOf = (domain: string): string[] =>
  users.filter(({ team }) => team === teamOf(domain)).map(({ name }) => name)

const company = {
  name: 'company',
  displayName: 'Juniper Outfitters',
  description: 'Everybody at Juniper Outfitters, which sells outdoor gear on the web and in shops.',
  teamType: 'Organization',
  email: `all@${mailDomain}`,
}

const teamRequests = areas.map(({ name, team }) => ({
  name: team,
  displayName: titled(team),
  description: `Answers for ${name} and its data.`,
  teamType: 'Department',
  parents: [company.name],
  email: `${team}@${mailDomain}`,
}))

const userRequests = users.map(({ name, displayName, team }) => ({
  name,
  displayName,
  description: `${titled(team)}, ${randomFor(name).pick(['Berlin', 'Lisbon', 'Oslo', 'Warsaw'])}.`,
  email: `${name}@${mailDomain}`,
  teams: [team],
}))

export const peopleSteps = (): Step[] => [
  each('company', 'teams', [company]),
  each('teams', 'teams', teamRequests),
  each('users', 'users', userRequests),
]
