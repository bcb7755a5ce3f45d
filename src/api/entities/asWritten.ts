import { DomainError } from '../../commands/errors.ts'
import { isObject } from '../../shared/json.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'

/**
 * The error with its problems where the client wrote what they are about: rules know a member by its own name, a body may
 * use the other one, with a single value for a list.
 */
export const asWritten = (definition: KindDefinition, body: unknown, error: unknown): unknown => {
  if (!(error instanceof DomainError) || error.problems.length === 0 || !isObject(body)) return error
  const aliases = Object.entries(definition.fields).flatMap(([member, field]) =>
    (field.aliases ?? [])
      .filter((alias) => alias in body)
      .map((alias) => ({ member, alias, single: !Array.isArray(body[alias]) })),
  )
  if (aliases.length === 0) return error
  const problems = error.problems.map(({ path, message }) => {
    const used = aliases.find(({ member }) => path === `/${member}` || path.startsWith(`/${member}/`))
    if (used === undefined) return { path, message }
    const rest = path.slice(used.member.length + 1)
    return { path: `/${used.alias}${used.single ? rest.replace(/^\/0/, '') : rest}`, message }
  })
  const [first, old] = [problems[0]?.path ?? '', error.problems[0]?.path ?? '']
  const message = error.message.startsWith(`${old}: `) ? `${first}${error.message.slice(old.length)}` : error.message
  return new DomainError(error.code, message, problems)
}
