import type { KindDefinition } from '../defineKind.ts'
import { defineKind } from './commonMembers.ts'
import {
  booleanField,
  integerField,
  listField,
  oneOfField,
  openField,
  referenceField,
  textField,
} from '../members/fields.ts'
import { word } from '../members/shapes.ts'

export const proposalStatuses = ['open', 'accepted', 'refused', 'withdrawn'] as const

const own = { readOnly: true } as const

/** Proposed changes. They have routes of their own and are left out of what is generic about kinds. */
export const proposalsOf = (kinds: readonly KindDefinition[]): KindDefinition =>
  defineKind({
    name: 'proposal',
    path: 'proposals',
    description: 'A change of an entity that somebody proposes and somebody else accepts or refuses.',
    fields: {
      entity: referenceField(
        'What it would change.',
        kinds.map(({ name }) => name),
        own,
      ),
      proposer: textField('Name of the user who proposes it.', own),
      comment: textField('Why.', own),
      change: openField('`set`: members with their new values whole; `unset`: names of members to clear.', {
        ...own,
        shown: 'request',
      }),
      members: listField('Names of the members that it changes.', word, own),
      base: integerField('Revision of the entity that it was made on.', 0, own),
      status: oneOfField('How it stands.', proposalStatuses, {
        ...own,
        category: {
          groups: proposalStatuses,
          of: (value) => (typeof value === 'string' ? value : 'open'),
          description: 'Only proposals with this status',
        },
      }),
      decidedBy: textField('Name of the user who decided on it.', own),
      reason: textField('Why it was refused or withdrawn.', own),
      amended: booleanField('It was accepted with another change than was proposed.', own),
      accepted: integerField('Revision of the entity that accepting it made.', 0, own),
    },
  })
