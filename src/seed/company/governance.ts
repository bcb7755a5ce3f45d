import type { JsonObject } from '../../shared/json.ts'
import { childFqn } from '../../kinds/names.ts'
import { randomFor } from '../random.ts'
import { businessTerms, dataTerms } from '../vocabulary/glossaryTerms.ts'
import { areas, membersOf } from './people.ts'
import { each, refer, type Step } from './step.ts'

interface Labels {
  readonly name: string
  readonly description: string
  readonly mutuallyExclusive: boolean
  readonly tags: Readonly<Record<string, string>>
}

const classifications: readonly Labels[] = [
  {
    name: 'PII',
    description: 'How much the data tells about a person.',
    mutuallyExclusive: true,
    tags: {
      Sensitive: 'Names a person, or harms one when it is lost.',
      NonSensitive: 'About a person, of little harm.',
      None: 'Not about a person.',
    },
  },
  {
    name: 'Tier',
    description: 'How much the company depends on the data.',
    mutuallyExclusive: true,
    tags: {
      Tier1: 'The business stands still without it.',
      Tier2: 'Decisions of a day need it.',
      Tier3: 'Reports need it.',
      Tier4: 'Useful for a team.',
      Tier5: 'Nobody would notice.',
    },
  },
  {
    name: 'Compliance',
    description: 'Rules that the data falls under.',
    mutuallyExclusive: false,
    tags: {
      GDPR: 'General Data Protection Regulation.',
      PCI: 'Payment card rules.',
      SOX: 'Rules of financial reporting.',
      Retention: 'Must be kept for ten years.',
    },
  },
  {
    name: 'Lifecycle',
    description: 'Where in its life an asset is.',
    mutuallyExclusive: true,
    tags: {
      Experimental: 'May change without notice.',
      Production: 'Can be relied on.',
      Legacy: 'Will go: do not build on it.',
    },
  },
  {
    name: 'Layer',
    description: 'Place in the architecture of the lake.',
    mutuallyExclusive: false,
    tags: {
      Source: 'As the system of record has it.',
      Raw: 'As it arrived.',
      Staging: 'Cleaned and typed.',
      Core: 'Conformed.',
      Mart: 'For one audience.',
    },
  },
]

export interface Term {
  readonly name: string
  readonly synonyms: readonly string[]
  readonly description: string
  /** FQN of the term above it. */
  readonly parent: string | undefined
  readonly fullyQualifiedName: string
  /** 1, 2 or 3. */
  readonly level: number
  readonly glossary: string
}

/** Reads terms as `vocabulary/terms.ts` writes them. */
const readTerms = (glossary: string, text: string): Term[] => {
  const above: string[] = []
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const level = (line.length - line.trimStart().length) / 2 + 1
      const [words = '', description = ''] = line.split('=').map((part) => part.trim())
      const [name = '', ...synonyms] = words.split('/').map((word) => word.trim())
      const parent = level === 1 ? undefined : above[level - 2]
      const fullyQualifiedName = childFqn(parent ?? glossary, name)
      above[level - 1] = fullyQualifiedName
      return { name, synonyms, description: `${description}.`, parent, fullyQualifiedName, level, glossary }
    })
}

export const terms: readonly Term[] = [...readTerms('Business', businessTerms), ...readTerms('Data', dataTerms)]

/** The FQN of the business term with this name. @throws Error when there is none */
export const termNamed = (name: string): string => {
  const found = terms.find((term) => term.name === name)
  if (found === undefined) throw new Error(`No term is called ${name}.`)
  return found.fullyQualifiedName
}

const styleOf = (index: number): JsonObject => ({
  color: ['#1b7f5c', '#b4532a', '#355c9a', '#8a6d1d', '#6b3f8c'][index % 5] as string,
})

/** Terms are related to terms of the levels above, which exist by then. */
const termRequest = (term: Term): JsonObject => {
  const random = randomFor(term.fullyQualifiedName)
  const earlier = terms.filter((other) => other.level < term.level && other.fullyQualifiedName !== term.parent)
  const related = random.chance(0.4) ? random.sample(earlier, random.between(1, 2)) : []
  return {
    name: term.name,
    glossary: term.glossary,
    description: term.description,
    ...(term.parent !== undefined && { parent: term.parent }),
    ...(term.synonyms.length > 0 && { synonyms: [...term.synonyms] }),
    ...(related.length > 0 && { relatedTerms: related.map((other) => other.fullyQualifiedName) }),
    ...(term.level === 1 && { style: styleOf(term.name.length) }),
  }
}

const glossaries = [
  { name: 'Business', displayName: 'Business glossary', description: 'What we mean when we talk about the business.' },
  { name: 'Data', displayName: 'Data glossary', description: 'What we mean when we talk about data.' },
]

const domainRequests = areas.map(({ name, team }, index) => ({
  name,
  domainType: index % 3 === 0 ? 'Source-aligned' : 'Aggregate',
  description: `Data of ${name}.`,
  owners: [refer('team', team)],
  experts: membersOf(name).slice(0, 2),
  style: styleOf(index),
}))

const subDomainRequests = areas.flatMap(({ name: parent, parts }) =>
  parts.map(({ name, description }) => ({
    name,
    parent,
    description,
    domainType: 'Consumer-aligned',
    experts: membersOf(parent).slice(2, 3),
  })),
)

export const governanceSteps = (): Step[] => [
  each(
    'classifications',
    'classifications',
    classifications.map(({ name, description, mutuallyExclusive }) => ({ name, description, mutuallyExclusive })),
  ),
  each(
    'tags',
    'tags',
    classifications.flatMap(({ name: classification, tags }) =>
      Object.entries(tags).map(([name, description]) => ({ classification, name, description })),
    ),
  ),
  each('domains', 'domains', domainRequests),
  each('sub-domains', 'domains', subDomainRequests),
  each('glossaries', 'glossaries', glossaries),
  ...[1, 2, 3].map((level) =>
    each(`terms, level ${level}`, 'glossaryTerms', terms.filter((term) => term.level === level).map(termRequest)),
  ),
]
