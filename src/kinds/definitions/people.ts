import { z } from 'zod'
import { factsAbove } from '../behaviours/factsAbove.ts'
import type { Behaviour } from '../defineKind.ts'
import { userNameProblem } from '../../shared/entityName.ts'
import { defineKind } from './commonMembers.ts'
import { field, opaqueFields } from '../members/fields.ts'
import { programToken, text } from '../members/shapes.ts'
import { words } from '../../shared/wordLists.ts'
import type { Options } from '../members/fields.ts'

const address = text.max(320).regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')

const email = (options: Options = {}) => field.shape('E-mail address.', address, options)

const personal = { personal: true } as const

const user = defineKind({
  name: 'user',
  path: 'users',
  description: 'Somebody, or a program, that uses the catalog.',
  traits: { principal: true },
  fields: {
    displayName: field.text('Name for people.', personal),
    description: field.text('What it is, in Markdown.', personal),
    // Answers and events show `(erased)` in its place.
    email: { ...email(personal), answer: text },
    isAdmin: field.boolean('Administers the catalog. Says nothing about permissions: roles do.'),
    isBot: field.boolean('A program. Of a user who exists only people with the permission `manage` change it.'),
    token: field.shape('The token that a program has: /v1/tokens makes and revokes it.', programToken, {
      readOnly: true,
    }),
    sessionsEndedAt: field.shape('When all of their sessions were ended; absent: never.', z.iso.datetime(), {
      readOnly: true,
    }),
    profile: field.open('What user interfaces show of them.', personal),
    extension: field.open('Values of custom properties.', { shown: 'request', ...personal }),
    teams: field.references('The teams that they are in.', ['team']),
    ...opaqueFields(words('externalId timezone botName roles personas defaultPersona createPasswordType'), personal),
  },
  behaviour: {
    check: ({ name, before }) => {
      const message = before === undefined ? userNameProblem(name) : undefined
      return message === undefined ? [] : [{ path: '/name', message }]
    },
  },
})

/** A team must not be its own ancestor. */
const noCircle: Behaviour = {
  needs: ({ members }, facts) => factsAbove(members, ['parents'], facts).needed,
  check: ({ members, fullyQualifiedName: own }, facts) => {
    const { above } = factsAbove(members, ['parents'], facts)
    const isAbove = above.some(({ reference }) => reference.fullyQualifiedName === own)
    return isAbove ? [{ path: '/parents', message: `${own} would be its own ancestor` }] : []
  },
}

const team = defineKind({
  name: 'team',
  path: 'teams',
  description: 'People who work together.',
  traits: { principal: true },
  facts: ['parents'],
  computed: {
    users: { from: 'related', rel: 'teams', shown: 'request' },
    children: { from: 'related', rel: 'parents', shown: 'request' },
  },
  behaviour: noCircle,
  kept: 'profile isJoinable defaultRoles policies',
  fields: {
    teamType: field.openWord(
      'What sort of team it is.',
      ['Organization', 'BusinessUnit', 'Division', 'Department', 'Group'],
      { default: 'Group' },
    ),
    parents: field.references('The teams that it is a part of.', ['team']),
    email: email(),
  },
})

/** Users and teams. Teams come first, since users refer to them. */
export const people = [team, user]
