import { z } from 'zod'
import { defineKind, followersAndVotes, mustHaveRootOfParent } from './commonMembers.ts'
import { domainsField, experts, field, reviewers, style } from '../members/fields.ts'
import { name, url, word } from '../members/shapes.ts'

const mutuallyExclusive = (what: string) => field.boolean(`At most one of its ${what} may stand on the same thing.`)

const glossary = defineKind({
  name: 'glossary',
  path: 'glossaries',
  description: 'A vocabulary of an organization.',
  traits: followersAndVotes,
  facts: ['mutuallyExclusive'],
  computed: { termCount: { from: 'count', kind: 'glossaryTerm', shown: 'always' } },
  kept: 'provider',
  fields: { reviewers, mutuallyExclusive: mutuallyExclusive('terms') },
})

const glossaryTerm = defineKind({
  name: 'glossaryTerm',
  path: 'glossaryTerms',
  description: 'A term of a glossary.',
  parents: [
    { field: 'parent', kinds: ['glossaryTerm'], optional: true, description: 'The term above it.' },
    { field: 'glossary', kinds: ['glossary'] },
  ],
  traits: { labels: 'Glossary', ...followersAndVotes },
  facts: ['glossary', 'parent', 'mutuallyExclusive'],
  computed: { children: { from: 'children', kind: 'glossaryTerm', shown: 'request' } },
  behaviour: {
    check: (draft) => mustHaveRootOfParent(draft, 'glossary'),
    searchFields: {
      part: 'synonyms',
      of: ({ synonyms }) => (Array.isArray(synonyms) ? [{ path: 'synonyms', names: synonyms as string[] }] : []),
    },
  },
  kept: 'provider',
  fields: {
    synonyms: field.list('Other words for it.', word),
    relatedTerms: field.references('Terms that belong to it in some way.', ['glossaryTerm']),
    references: field.list('Where more is said about it.', z.strictObject({ name, endpoint: url.optional() })),
    style,
    reviewers,
    mutuallyExclusive: mutuallyExclusive('children'),
  },
})

const classification = defineKind({
  name: 'classification',
  path: 'classifications',
  description: 'A family of tags.',
  facts: ['mutuallyExclusive'],
  computed: { termCount: { from: 'count', kind: 'tag', shown: 'always' } },
  kept: 'autoClassificationConfig',
  fields: {
    reviewers,
    mutuallyExclusive: { ...mutuallyExclusive('tags'), default: false },
    provider: field.openWord('Who made it.', ['user', 'system'], { default: 'user' }),
  },
})

const tag = defineKind({
  name: 'tag',
  path: 'tags',
  description: 'A tag of a classification.',
  parents: [
    { field: 'parent', kinds: ['tag'], optional: true, description: 'The tag above it.' },
    { field: 'classification', kinds: ['classification'] },
  ],
  traits: { labels: 'Classification' },
  facts: ['classification', 'parent', 'mutuallyExclusive'],
  computed: { children: { from: 'children', kind: 'tag', shown: 'request' } },
  behaviour: { check: (draft) => mustHaveRootOfParent(draft, 'classification') },
  kept: 'provider associatedTags recognizers autoClassificationEnabled autoClassificationPriority',
  fields: {
    style,
    reviewers,
    disabled: field.boolean('Not to be used any more.'),
    mutuallyExclusive: mutuallyExclusive('children'),
  },
})

export const glossaries = [glossary, glossaryTerm, classification, tag]

const domain = defineKind({
  name: 'domain',
  path: 'domains',
  description: 'An area of an organization that is responsible for its data.',
  parents: [{ field: 'parent', kinds: ['domain'], optional: true, description: 'The domain that it is a part of.' }],
  traits: followersAndVotes,
  computed: { children: { from: 'children', kind: 'domain', shown: 'request' } },
  fields: {
    domainType: field.openWord('What its data is for.', ['Source-aligned', 'Consumer-aligned', 'Aggregate'], {
      default: 'Aggregate',
    }),
    experts,
    style,
  },
})

const dataProduct = defineKind({
  name: 'dataProduct',
  path: 'dataProducts',
  description: 'Data assets that are offered together.',
  traits: { assets: true, ...followersAndVotes },
  kept: 'lifecycleStage',
  fields: { domains: { ...domainsField, first: 'domain' }, experts, style },
})

export const domains = [domain, dataProduct]
