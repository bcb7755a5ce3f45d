import type { EntityRow } from '../../projections/entities/row.ts'
import { writeUser, causeOf, contextOf } from '../entities/writeRequest.ts'
import { route, pathParameter, jsonAnswer, jsonBody, ok, operations, noStore, type Answer } from '../http/route.ts'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { DomainError, forbidden, notFound } from '../../commands/errors.ts'
import type { Entity } from '../../commands/evolve.ts'
import { execute } from '../../commands/requests/execute.ts'
import { change } from '../../commands/requests/change.ts'
import type { Members } from '../../events/events.ts'
import { kindNamed, kinds, principalKind } from '../../kinds/registry/kinds.ts'
import { programToken } from '../../kinds/members/shapes.ts'
import { buildFqn, lastName } from '../../kinds/names.ts'
import { pagesOf } from '../../projections/entities/page.ts'
import type { Api, CatalogRequest, CatalogRoute } from '../deps.ts'
import { userId } from '../../commands/caller.ts'
import { isProgram } from '../access.ts'
import { parseBody } from '../http/readBody.ts'
import { isUserName, userNameRule } from './authenticate.ts'
import { mustBePerson } from './sessions.ts'
import { limits } from '../../shared/limits.ts'

const day = 86_400_000

const tokenBody = z
  .strictObject({
    name: z
      .string()
      .refine(isUserName, `must have ${userNameRule}`)
      .describe('Name of the program, which becomes a user with isBot and the author of its changes'),
    roles: z.array(z.string()).min(1).describe('Roles that the caller can grant: nobody can grant more than they have'),
    days: z.int().min(1).max(limits.tokenDays.value).default(365).describe('How long it is valid'),
  })
  .meta({ id: 'CreateToken', description: 'A token for a program.' })

const tokenShape = programToken.omit({ restored: true }).extend({ name: z.string(), fullyQualifiedName: z.string() })
const tokenAnswer = tokenShape.meta({ id: 'Token', description: 'A token of a program, without the token itself.' })
const newToken = tokenShape
  .extend({ token: z.string().describe('For `Authorization: Bearer …`') })
  .meta({ id: 'NewToken', description: 'A new token; only this response shows it.' })
const tokenList = z
  .object({ data: z.array(tokenAnswer), paging: z.object({ total: z.int() }) })
  .meta({ id: 'TokenList', description: 'The valid tokens.' })

const byName = pathParameter('name', 'Of the program')

const shared = { tag: 'tokens', permission: { operation: 'manage', kind: principalKind } } as const

/** Tokens of programs: they have names, are listed, and can be revoked. */
export const tokenRoutes: CatalogRoute[] = [
  route('post', '/v1/tokens', 'create_token', {
    ...shared,
    summary: 'Create a token for a program',
    body: jsonBody(tokenBody, {
      limit: 16_384,
      example: { name: 'nightly-ingestion', roles: ['Ingestion'], days: 90 },
    }),
    answers: { 201: { description: 'Created; shown only once', schema: newToken, headers: ['Catalog-Position'] } },
    handle: (request) => make(request),
  }),
  route('get', '/v1/tokens', 'list_tokens', {
    ...shared,
    summary: 'The tokens of programs that are not revoked and have not expired',
    answers: ok('By name', tokenList),
    handle: async ({ api }) => {
      const data = await listed(api)
      return jsonAnswer({ data, paging: { total: data.length } }, { headers: noStore })
    },
  }),
  route('delete', '/v1/tokens/{name}', 'revoke_token', {
    ...shared,
    summary: 'Revoke the token of a program, so that requests with it are 401',
    parameters: [byName],
    answers: { 204: { description: 'Revoked', headers: ['Catalog-Position'] } },
    handle: (request) => revoke(request),
  }),
]

/** The token of a user until it expires. A deletion ends it, also when it is undone: the user then names another one. */
const tokenOf = ({ members, restored }: Pick<Entity, 'members' | 'restored'>) => {
  const { restored: before, ...token } = programToken.safeParse(members['token']).data ?? {}
  return 'id' in token && before === restored && Date.parse(token.expiresAt) > Date.now() ? token : undefined
}

const tokenIn = (row: EntityRow | undefined) =>
  row?.status === 'live'
    ? tokenOf({ members: JSON.parse(row.shownAlways) as Members, restored: row.restored })
    : undefined

/** The id of the token that a program has at the moment. */
export const currentToken = async (
  { readModels }: Pick<Api, 'readModels'>,
  name: string,
): Promise<string | undefined> => tokenIn(await readModels.get(userId(name)))?.id

/** @throws DomainError `invalid` that names everything wrong */
const readTokenBody = ({ api, body }: CatalogRequest) => {
  const roles = tokenBody.shape.roles.superRefine((names, context) => {
    const unknown = names.filter((role) => !api.roles.includes(role))
    if (unknown.length > 0) context.addIssue(`${unknown.join(', ')}: no such role. There are ${api.roles.join(', ')}`)
  })
  return parseBody(tokenBody.extend({ roles }), body)
}

const mustGive = ({ api, actor }: CatalogRequest, roles: readonly string[]): void => {
  const given = { name: '', roles }
  const policies = [api.permits, api.permitsOverwrite ?? api.permits]
  const more = kinds.flatMap(({ name }) =>
    operations.filter((operation) =>
      policies.some((permits) => permits(given, operation, name) !== 'no' && permits(actor, operation, name) !== 'yes'),
    ),
  )
  if (more.length > 0)
    throw forbidden(
      `You can grant only permissions that you have yourself. You lack: ${[...new Set(more)].join(', ')}.`,
    )
}

/** @throws DomainError when the name is somebody else's, or has a token */
const mustBeFree = (name: string, current: Entity | undefined): void => {
  if (current === undefined || current.status === 'gone') return
  if (!isProgram(current.members))
    throw new DomainError(
      'already_exists',
      `${name} is a user, not a program: choose another name, or set its isBot first.`,
    )
  if (current.status === 'deleted')
    throw new DomainError('already_exists', `${name} is deleted: restore the user, or choose another name.`)
  if (tokenOf(current) !== undefined)
    throw new DomainError('already_exists', `${name} has a token: revoke it, or choose another name.`)
}

const make = async (request: CatalogRequest): Promise<Answer> => {
  mustBePerson(request.actor, 'Programs cannot create tokens, because these could outlast their own: ask a person.')
  const { name, roles, days } = readTokenBody(request)
  mustGive(request, roles)
  // Whoever checks the token reads the clock of a machine, which the log may be ahead of.
  const now = Date.now()
  const expires = new Date(Math.ceil((now + days * day) / 1000) * 1000)
  const token = {
    id: randomUUID(),
    roles: [...roles],
    createdAt: new Date(now).toISOString(),
    createdBy: request.actor.name,
    expiresAt: expires.toISOString(),
  }
  const position = await writeUser(request, { name, isBot: true }, (current) => {
    mustBeFree(name, current)
    const restored = current?.restored
    return { token: { ...token, ...(restored !== undefined && { restored }) } }
  })
  const signed = request.api.tokens.sign({ name, id: token.id, roles, expires: expires.getTime() / 1000 })
  const made = { name, fullyQualifiedName: buildFqn([name]), ...token, token: signed }
  return jsonAnswer(made, { status: 201, headers: noStore, position })
}

const revoke = async (request: CatalogRequest): Promise<Answer> => {
  const { api } = request
  const name = request.params['name'] as string
  const definition = kindNamed(principalKind)
  const missing = notFound(`There is no token of the name ${name}.`)
  if ((await currentToken(api, name)) === undefined) throw missing
  const read = (entity: Entity) => {
    if (tokenOf(entity) === undefined) throw missing
    return { values: {}, cleared: ['token'] }
  }
  const context = contextOf(request)
  const { position } = await execute(context, change(context, { definition, id: userId(name), read }, causeOf(request)))
  return { status: 204, position }
}

/** Programs among all users. There are few users beside everything else, and this is seldom asked. */
const listed = async (api: Api) => {
  const all = { kind: principalKind, include: 'non-deleted', scopes: [], edges: [], limit: Infinity } as const
  const found: z.infer<typeof tokenShape>[] = []
  for await (const { rows } of pagesOf(api.readModels, all)) {
    const programs = rows.filter(({ shownAlways }) => 'token' in (JSON.parse(shownAlways) as Members))
    const users = await api.readModels.getMany(programs.map(({ id }) => id))
    for (const { id, fullyQualifiedName } of programs) {
      const token = tokenIn(users.get(id))
      if (token !== undefined) found.push({ name: lastName(fullyQualifiedName), fullyQualifiedName, ...token })
    }
  }
  return found
}
