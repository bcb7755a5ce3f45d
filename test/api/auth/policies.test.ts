import { describe, expect, it } from 'vitest'
import { makePolicies } from '../../../src/api/auth/policies.ts'
import { type Permission, operations, type Operation } from '../../../src/api/http/route.ts'
import { kinds as catalogued } from '../../../src/kinds/registry/kinds.ts'
import { parsePolicies, PolicyError } from '../../../src/api/auth/policiesFile.ts'
import { kinds } from '../support.ts'

const may = (role: string, operation: Operation, kind?: string, file = ''): Permission =>
  makePolicies(kinds, file === '' ? {} : parsePolicies(file, kinds).roles).permits(
    { roles: role.split(' ') },
    operation,
    kind,
  )

const allowed = (role: string, kind: string): string[] =>
  operations.filter((operation) => may(role, operation, kind) === 'yes')

const consumer = ['view', 'versions', 'search', 'follow', 'vote', 'propose']

describe('the shipped roles', () => {
  it.each([
    ['Admin', 'apple', [...operations]],
    ['Admin', 'keeper', [...operations]],
    ['DataConsumer', 'apple', consumer],
    ['DataConsumer', 'keeper', consumer],
    ['DataSteward', 'apple', [...consumer, 'create', 'edit', 'bulk', 'delete', 'restore', 'history', 'approve']],
    ['DataSteward', 'keeper', [...consumer, 'history']],
    ['Ingestion', 'apple', [...consumer, 'create', 'edit', 'bulk']],
    ['Auditor', 'apple', [...consumer, 'history', 'feed']],
    ['Subscriber', 'apple', [...consumer, 'feed']],
    ['Unknown', 'apple', []],
    ['Subscriber Ingestion', 'pear', [...consumer, 'feed', 'create', 'edit', 'bulk']],
  ])('%s on %s', (role, kind, expected) => {
    expect(allowed(role, kind).toSorted()).toEqual(expected.toSorted())
  })

  it.each(['DataConsumer', 'DataSteward', 'Ingestion', 'Auditor', 'Subscriber'])(
    '%s decides on what it owns or reviews',
    (role) => expect(may(role, 'approve', 'keeper')).toBe('ifOwner'),
  )

  it('permit nothing without a role', () => {
    expect(makePolicies(kinds).permits({ roles: [] }, 'view', 'apple')).toBe('no')
  })

  it('hold for kinds that no rule can name', () => {
    expect(may('Admin', 'view', 'plum')).toBe('yes')
    expect(may('DataSteward', 'edit', 'plum')).toBe('no')
  })
})

const file = `
roles:
  AppleKeeper:
    - {effect: allow, operations: [view, edit, search], kinds: [apple]}
  Owner:
    - effect: allow
      operations: [view, edit, delete]
      kinds: ['*']
      condition: isOwner
  NoPears:
    - {effect: deny, operations: ['*'], kinds: [pear]}
  DataConsumer:
    - {effect: allow, operations: [view], kinds: ['*']}
`

describe('a policies file', () => {
  it('adds roles to the shipped ones', () => {
    expect(may('AppleKeeper', 'edit', 'apple', file)).toBe('yes')
    expect(may('AppleKeeper', 'edit', 'pear', file)).toBe('no')
    expect(may('Admin', 'edit', 'apple', file)).toBe('yes')
  })

  it('replaces a shipped role of the same name', () => {
    expect(may('DataConsumer', 'view', 'apple', file)).toBe('yes')
    expect(may('DataConsumer', 'search', 'apple', file)).toBe('no')
    expect(may('Auditor', 'search', 'apple', file)).toBe('yes')
  })

  it('lets deny win, in whatever order the roles stand', () => {
    expect(may('Admin NoPears', 'view', 'pear', file)).toBe('no')
    expect(may('NoPears Admin', 'view', 'pear', file)).toBe('no')
    expect(may('Owner NoPears', 'edit', 'pear', file)).toBe('no')
    expect(may('Admin NoPears', 'view', 'apple', file)).toBe('yes')
  })

  it('allows owners, unless the same is allowed to all', () => {
    expect(may('Owner', 'edit', 'apple', file)).toBe('ifOwner')
    expect(may('Owner', 'history', 'apple', file)).toBe('no')
    expect(may('Owner AppleKeeper', 'edit', 'apple', file)).toBe('yes')
    expect(may('AppleKeeper Owner', 'edit', 'pear', file)).toBe('ifOwner')
  })

  it('lets nobody manage the service because of what they own', () => {
    const own = "roles: {Own: [{effect: allow, operations: ['*'], kinds: ['*'], condition: isOwner}]}"
    expect([may('Own', 'manage', undefined, own), may('Own', 'manage', 'apple', own)]).toEqual(['no', 'no'])
    expect(may('Own Admin', 'manage', undefined, own)).toBe('yes')
    expect(may('Own', 'edit', 'apple', own)).toBe('ifOwner')
    expect(mistakes(own.replace("'*'", 'view, manage'))).toEqual([
      'line 1, roles.Own[0].condition: isOwner is about entities, and manage is about none: allow manage by a rule of its own',
    ])
  })

  it('lets nobody do to entities what they may not view, and to their own alone where they may view only these', () => {
    const blind = `roles:
  All:
    - {effect: allow, operations: ['*'], kinds: ['*']}
  NoPears:
    - {effect: deny, operations: [view], kinds: [pear]}
  Own:
    - {effect: allow, operations: [view], kinds: [apple], condition: isOwner}
    - {effect: allow, operations: [${operations.filter((each) => each !== 'view').join(', ')}], kinds: ['*']}
`
    const permitted = (role: string, kind: string, permission: Permission): Operation[] =>
      operations.filter((operation) => may(role, operation, kind, blind) === permission)
    expect(permitted('All NoPears', 'pear', 'yes')).toEqual([])
    expect(permitted('All NoPears', 'pear', 'ifOwner')).toEqual([])
    expect(permitted('All NoPears', 'apple', 'yes')).toEqual([...operations])
    expect(permitted('Own', 'pear', 'yes')).toEqual([])
    // That is about the service.
    expect(may('Own', 'manage', undefined, blind)).toBe('yes')
    // What they make is nothing that they could see by it.
    expect(permitted('Own', 'apple', 'yes')).toEqual(['create', 'bulk'])
    expect(permitted('Own', 'apple', 'no')).toEqual(['manage'])
  })

  it('answers without a kind for the best of all kinds', () => {
    expect(may('AppleKeeper', 'search', undefined, file)).toBe('yes')
    expect(may('AppleKeeper', 'feed', undefined, file)).toBe('no')
    expect(may('Owner', 'delete', undefined, file)).toBe('ifOwner')
    expect(may('Admin NoPears', 'feed', undefined, file)).toBe('yes')
  })

  it('tells who may edit what people wrote, once a rule spares that', () => {
    const sparing = `roles:
  Loader:
    - {effect: allow, operations: [view, create], kinds: ['*']}
    - {effect: allow, operations: [edit], kinds: [apple], condition: notWrittenByPeople}
  Owner:
    - {effect: allow, operations: [edit], kinds: ['*'], condition: isOwner}
`
    const { permits, permitsOverwrite } = makePolicies(kinds, parsePolicies(sparing, kinds).roles)
    const both = (...roles: string[]) => [
      permits({ roles }, 'edit', 'apple'),
      permitsOverwrite?.({ roles }, 'edit', 'apple'),
    ]
    expect(both('Loader')).toEqual(['yes', 'no'])
    expect(both('Loader', 'Owner')).toEqual(['yes', 'ifOwner'])
    expect(both('Loader', 'DataSteward')).toEqual(['yes', 'yes'])
    expect(permits({ roles: ['Loader'] }, 'edit', 'pear')).toBe('no')
    expect(makePolicies(kinds, parsePolicies(file, kinds).roles).permitsOverwrite).toBeUndefined()
  })

  const mistakes = (yaml: string): readonly string[] => {
    try {
      parsePolicies(yaml, kinds)
    } catch (error) {
      if (error instanceof PolicyError) return error.lines
      throw error
    }
    return []
  }

  it('names every mistake and its line', () => {
    const found = mistakes(`roles:
  One:
    - {effect: permit, operations: [view], kinds: [apple]}
    - {effect: allow, operations: [look], kinds: [plum], unless: x}
  Two:
    - {effect: deny, operations: [view], kinds: [apple], condition: isOwner}
    - {effect: allow, operations: [], kinds: [apple]}
    - {effect: allow, operations: [view, edit], kinds: [apple], condition: notWrittenByPeople}
`)
    expect(found).toHaveLength(7)
    expect(found.join('\n')).toMatch(/line 3, roles\.One\[0\]\.effect: /)
    expect(found.join('\n')).toMatch(
      /line 4, roles\.One\[1\]\.operations\[0\]: "look" is not an operation; there are \* and view, /,
    )
    expect(found.join('\n')).toMatch(
      /line 4, roles\.One\[1\]\.kinds\[0\]: "plum" is not a kind; there are \* and apple, pear, keeper/,
    )
    expect(found.join('\n')).toMatch(/roles\.One\[1\]: .*unless/)
    expect(found.join('\n')).toMatch(/line 6, roles\.Two\[0\]\.condition: /)
    expect(found.join('\n')).toMatch(/line 8, roles\.Two\[2\]\.condition: notWrittenByPeople is about edit/)
    expect(found.join('\n')).toMatch(/line 7, roles\.Two\[1\]\.operations: /)
  })

  it.each([
    '',
    'roles',
    '- roles',
    'roles: {A: {}}',
    'roles: {A: [], A: []}',
    'roles: {A: [}',
    'role: {}',
    'roles: {A: [1]}',
  ])('refuses %j', (yaml) => {
    expect(mistakes(yaml).length).toBeGreaterThan(0)
  })

  it('refuses members that need approval and that no kind of their rule has', () => {
    const approving = (rule: string): readonly string[] => {
      try {
        parsePolicies(`needsApproval:\n  - ${rule}`, catalogued)
      } catch (error) {
        return (error as PolicyError).lines
      }
      return []
    }
    expect(approving('{ kinds: [glossaryTerm, table], members: [descripton, columns] }')).toEqual([
      'line 2, needsApproval[0].members[0]: "descripton" is not a member of glossaryTerm, table; did you mean description?',
    ])
    expect(approving("{ kinds: ['*'], members: [ownrs] }")[0]).toContain('did you mean owners?')
    expect(approving('{ kinds: [glossaryTerm], members: [columns, owner] }')).toEqual([
      expect.stringContaining('"columns" is not a member of glossaryTerm'),
      expect.stringContaining('"owner" is not a member of glossaryTerm; did you mean owners?'),
    ])
    expect(approving('{ kinds: [user], members: [token] }')).toEqual([
      'line 2, needsApproval[0].members[0]: the catalog itself sets "token": no rule is needed',
    ])
    for (const right of [
      '[dataProduct], members: [assets, inputPorts]',
      '[dataContract], members: [odcs]',
      "[table], members: ['*']",
      '[lineage], members: [upstream]',
      "['*'], members: [tags, upstream]",
    ])
      expect(approving(`{ kinds: ${right} }`)).toEqual([])
  })

  it('asks for approval in a domain and below it, and not in one whose name begins alike', () => {
    const rule = { kinds: ['*'], members: ['tags'], domains: ['finance'] }
    const { needsApproval } = makePolicies(kinds, {}, [rule])
    const inDomain = (domain: string) => needsApproval?.('apple', [domain], ['tags', 'owners'])
    expect(['finance', 'finance.tax', 'financeX'].map(inDomain)).toEqual([['tags'], ['tags'], []])
  })

  it('bounds aliases', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      ...'bcdefgh'
        .split('')
        .map((name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefgh'[index]}`).join(', ')}]`),
    ].join('\n')
    expect(mistakes(bomb).length).toBeGreaterThan(0)
  })
})
