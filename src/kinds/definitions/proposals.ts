import type { KindDefinition } from '../defineKind.ts'
import { defineKind } from './commonMembers.ts'
import { field } from '../members/fields.ts'
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
      entity: field.reference(
        'What it would change.',
        kinds.map(({ name }) => name),
        own,
      ),
      proposer: field.text('Name of the user who proposes it.', own),
      comment: field.text('Why.', own),
      change: field.open('`set`: members with their new values whole; `unset`: names of members to clear.', {
        ...own,
        shown: 'request',
      }),
      members: field.list('Names of the members that it changes.', word, own),
      base: field.integer('Revision of the entity that it was made on.', 0, own),
      status: field.oneOf('How it stands.', proposalStatuses, {
        ...own,
        category: {
          groups: proposalStatuses,
          of: (value) => (typeof value === 'string' ? value : 'open'),
          description: 'Only proposals with this status',
        },
      }),
      decidedBy: field.text('Name of the user who decided on it.', own),
      reason: field.text('Why it was refused or withdrawn.', own),
      amended: field.boolean('It was accepted with another change than was proposed.', own),
      accepted: field.integer('Revision of the entity that accepting it made.', 0, own),
    },
  })
