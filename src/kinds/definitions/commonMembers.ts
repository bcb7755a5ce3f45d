import { z } from 'zod'
import type { Behaviour, Computed, Field, KindDefinition, Parent, Traits, Draft, Problem } from '../defineKind.ts'
import { exclusiveTags } from '../behaviours/exclusiveTags.ts'
import { domainsField, field, opaqueFields } from '../members/fields.ts'
import { words } from '../../shared/wordLists.ts'
import { isObject } from '../../shared/json.ts'

type KindInput = Pick<KindDefinition, 'name' | 'path' | 'description'> &
  Partial<Omit<KindDefinition, 'name' | 'path' | 'description'>> & {
    /** Names of members that are kept as loaders send them, parted by blanks. */
    readonly kept?: string
  }

const statuses = ['Unprocessed', 'Draft', 'In Review', 'Approved', 'Rejected', 'Deprecated'] as const

const owning = ['user', 'team']

const common: Readonly<Record<string, Field>> = {
  displayName: field.text('Name for people.'),
  description: field.text('What it is, in Markdown.'),
  owners: field.references('Who is responsible for it.', owning, { shown: 'request', aliases: ['owner'] }),
  domains: domainsField,
  tags: field.tags('Classification tags and glossary terms.', { shown: 'request', filter: 'tag' }),
  extension: field.open('Values of custom properties.', { shown: 'request' }),
  entityStatus: field.openWord('Where it stands in its review.', statuses, { default: 'Unprocessed' }),
  confirmBy: field.shape('The last day for an owner to confirm that it is right as it stands.', z.iso.date(), {
    shown: 'request',
    filter: 'confirmation',
    category: {
      groups: ['asked'],
      of: (day) => (day === undefined ? undefined : 'asked'),
      description: 'Only those that are to be confirmed by some day',
    },
  }),
  confirmed: field.open('Who confirmed it last, and when.', { readOnly: true, undone: true, shown: 'request' }),
  due: field.shape('The day by which it was to be confirmed, and was not.', z.iso.date(), {
    readOnly: true,
    undone: true,
    shown: 'request',
    category: {
      groups: ['true'],
      of: (day) => (day === undefined ? undefined : 'true'),
      description: 'Only those that were to be confirmed by some day, and were not',
    },
  }),
}

const users = (description: string): Field =>
  field.references(description, ['user'], { readOnly: true, shown: 'request' })

const followed: Readonly<Record<string, Field>> = { followers: users('Users who follow it.') }

const votedOn: Readonly<Record<string, Field>> = {
  upVoters: users('Users who voted it up.'),
  downVoters: users('Users who voted it down.'),
}

const assets = (description: string): Field =>
  field.references(description, ['*'], { readOnly: true, shown: 'only-request' })

const assetLists: Readonly<Record<string, Field>> = {
  assets: assets('The data assets of the product.'),
  inputPorts: assets('Data assets that the product reads.'),
  outputPorts: assets('Data assets that the product offers.'),
}

export const sourceUrl = field.url('Where the asset is found in its source system.')

const sourceHash = field.text(
  'Hash of the source that it was read from: an item of a bulk request that has the same one is skipped.',
  { shown: 'request' },
)

const lifeCycle = field.open('When it was created, changed and read last, kept as its loader sends it.', {
  shown: 'request',
})

const products: Readonly<Record<string, Computed>> = {
  dataProducts: { from: 'related', rel: 'assets', shown: 'request' },
}

const traitFields = (traits: Traits): Readonly<Record<string, Field>> => ({
  ...(traits.followers && followed),
  ...(traits.votes && votedOn),
  ...(traits.assets && assetLists),
  ...(traits.dataAsset && { sourceUrl, sourceHash, lifeCycle }),
})

/** The members that refer to parents, which never change. The last one listed is the outermost. */
const parentFields = (parents: readonly Parent[]): Readonly<Record<string, Field>> =>
  Object.fromEntries(
    parents
      .toReversed()
      .map(({ field: member, kinds, optional = false, description = 'What the entity belongs to.' }) => [
        member,
        field.reference(description, kinds, { required: !optional, fixed: true }),
      ]),
  )

const withTagRules = (behaviour: Behaviour, fields: Readonly<Record<string, Field>>): Behaviour => {
  const tags = exclusiveTags({ fields })
  return {
    ...behaviour,
    needs: (draft, facts) => [...(behaviour.needs?.(draft, facts) ?? []), ...tags.needs(draft, facts)],
    check: (draft, facts) => [...(behaviour.check?.(draft, facts) ?? []), ...tags.check(draft, facts)],
  }
}

/** Adds to a behaviour that nothing is due any more when another day is given. */
const withConfirmation = (behaviour: Behaviour): Behaviour => ({
  ...behaviour,
  derive: (draft, effects) => {
    const { due, confirmBy } = draft.before ?? {}
    const { due: stated, ...others } = draft.members
    const isOver = stated !== undefined && stated === due && others['confirmBy'] !== confirmBy
    const members = isOver ? others : draft.members
    return behaviour.derive?.({ ...draft, members }, effects) ?? { members }
  },
})

/** Completes a definition with the members of every kind and of its traits. */
export const defineKind = (input: KindInput): KindDefinition => {
  const { fields: own = {}, kept = '', parents = [], computed, traits = {}, behaviour = {}, ...given } = input
  const asSent = opaqueFields(kept === '' ? [] : words(kept))
  const fields = { ...common, ...parentFields(parents), ...own, ...asSent, ...traitFields(traits) }
  return {
    parents,
    ancestors: [],
    dependent: false,
    shownBelow: [],
    facts: [],
    maxLimit: 1000,
    seeds: [],
    ...given,
    fields,
    computed: { ...computed, ...products },
    traits,
    behaviour: withConfirmation(withTagRules(behaviour, fields)),
  }
}

export const followersAndVotes = { followers: true, votes: true } as const

export const dataAsset = { bulk: true, asset: true, dataAsset: true, ...followersAndVotes } as const

/** Requires that an entity has the same root in `member` as its parent of the same kind, such as a folder's service. */
export const mustHaveRootOfParent = ({ members, parent }: Draft, member: string): Problem[] => {
  const own = members[member]
  const above = parent?.members[member]
  if (!isObject(own) || !isObject(above) || own['id'] === above['id']) return []
  const where = `${parent?.reference.type} ${parent?.reference.fullyQualifiedName}`
  return [{ path: `/${member}`, message: `must be ${String(above['fullyQualifiedName'])}, as ${where} is in that one` }]
}
