import { z } from 'zod'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { categoriesOf } from '../../kinds/edges.ts'
import { filterNames } from '../../kinds/filters.ts'
import { momentForms } from './reads/moment.ts'
import { optionalMembers } from './reads/queryValues.ts'
import type { AnswerHeader, Parameter } from '../http/route.ts'

/** The parameters that several routes share, for the OpenAPI document. */
export const id: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'UUID of the entity',
  schema: z.uuid(),
}

export const fqn: Parameter = {
  name: 'fqn',
  in: 'path',
  required: true,
  description: 'Fully qualified name, URL-encoded',
  schema: z.string(),
}

/** How a path names one entity: by id, or by fully qualified name. */
export interface Address {
  readonly at: string
  /** What operation ids of routes by name end with. */
  readonly suffix: string
  readonly parameter: Parameter
}

export const addresses: readonly Address[] = [
  { at: '{id}', suffix: '', parameter: id },
  { at: 'name/{fqn}', suffix: '_by_name', parameter: fqn },
]

export const include: Parameter = {
  name: 'include',
  in: 'query',
  description: 'Soft-deleted entities: left out, alone, or with the others',
  schema: z.enum(['non-deleted', 'deleted', 'all']).meta({ id: 'Include' }).default('non-deleted'),
}

const asOf: Parameter = {
  name: 'asOf',
  in: 'query',
  schema: z.string(),
  description: `The entity as it was: ${momentForms.position}`,
}

export const asOfMoment: Parameter = {
  name: 'asOf',
  in: 'query',
  schema: z.string(),
  description: 'As it was at a log position (@1200 or 1200) or an ISO 8601 instant',
}

export const snapshot: Parameter = {
  name: 'snapshot',
  in: 'query',
  schema: z.boolean().default(false),
  description: 'Cursors remember the moment of the first page, so that a walk over all pages shows that one moment',
}

const fields = (definition: KindDefinition): Parameter => ({
  name: 'fields',
  in: 'query',
  schema: z.string(),
  description: `Optional members, comma-separated, or *: ${optionalMembers(definition).join(', ')}`,
})

export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'ETags that the client has: 304 when the answer would be one of them',
  schema: z.string(),
}

export const get = (definition: KindDefinition): Parameter[] => [fields(definition), include, asOf, ifNoneMatch]

/** Headers of the answers to writes, and to those that make an entity. */
export const written: readonly AnswerHeader[] = ['ETag', 'Catalog-Position']
export const made: readonly AnswerHeader[] = [...written, 'Location']

export const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'Only when the entity is at the revision of this ETag, or at this bare revision; else 412',
  schema: z.string(),
}

export const preconditions: Parameter[] = [
  ifMatch,
  {
    name: 'If-None-Match',
    in: 'header',
    description: '`*`: only when it does not exist; else 412',
    schema: z.string(),
  },
]

export const paging = (maxLimit: number): Parameter[] => [
  { name: 'limit', in: 'query', description: 'Page size', schema: z.int().min(0).max(maxLimit).default(10) },
  { name: 'after', in: 'query', description: 'Cursor of the page before', schema: z.string() },
  { name: 'before', in: 'query', description: 'Cursor of the page after', schema: z.string() },
]

const filterDescription = ({ parents }: KindDefinition, name: string): string => {
  const others = parents.filter((parent) => parent.field !== name).map((parent) => parent.field)
  const nested = parents.some((parent) => parent.field === name && parent.optional === true) && others.length > 0
  return nested
    ? `Only those directly below this ${name}; or, with the name of the ${others.join(', ')}, those directly below that`
    : `Only those with this ${name}`
}

const tagOn: Parameter = {
  name: 'tagOn',
  in: 'query',
  schema: z.enum(['self', 'columns']),
  description: 'Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it',
}

const filter = (definition: KindDefinition, name: string): Parameter => {
  const category = categoriesOf(definition).find((one) => one.filter === name)?.category
  const description = category?.description ?? filterDescription(definition, name)
  return { name, in: 'query', description, schema: category === undefined ? z.string() : z.enum(category.groups) }
}

export const list = (definition: KindDefinition): Parameter[] => [
  ...filterNames(definition).map((name) => filter(definition, name)),
  tagOn,
  ...paging(definition.maxLimit),
  fields(definition),
  include,
  asOfMoment,
  snapshot,
]
