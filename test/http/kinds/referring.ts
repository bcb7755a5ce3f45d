import { expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../../src/shared/json.ts'
import { filterNames, hasNested, isAncestorMember } from '../../../src/kinds/edges.ts'
import type { KindDefinition } from '../../../src/kinds/defineKind.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { answered, byName } from '../support.ts'
import type { KindUnderTest } from './kindUnderTest.ts'

const tree = (tag: string): JsonObject[] => [
  { name: 'plain', dataType: 'STRING' },
  { name: 'outer', dataType: 'STRUCT', children: [{ name: 'inner.most', dataType: 'STRING', tags: [tag] }] },
]

const fieldTree = (tag: string): JsonObject => ({
  schemaType: 'Other',
  schemaFields: [
    { name: 'outer', dataType: 'RECORD', children: [{ name: 'inner.most', dataType: 'STRING', tags: [tag] }] },
  ],
})

/** Members with a tag on an element inside them, and what that place is called. */
const inside: Readonly<Record<string, (tag: string) => readonly [JsonObject, path: string]>> = {
  table: (tag) => [{ columns: tree(tag) }, 'columns.outer."inner.most".tags'],
  container: (tag) => [{ dataModel: { columns: tree(tag) } }, 'dataModel.columns.outer."inner.most".tags'],
  searchIndex: (tag) => [
    { fields: [{ name: 'outer', dataType: 'OBJECT', children: [{ name: 'inner', dataType: 'TEXT', tags: [tag] }] }] },
    'fields.outer.inner.tags',
  ],
  topic: (tag) => [{ messageSchema: fieldTree(tag) }, 'messageSchema.schemaFields.outer."inner.most".tags'],
  apiEndpoint: (tag) => [{ responseSchema: fieldTree(tag) }, 'responseSchema.schemaFields.outer."inner.most".tags'],
  mlmodel: (tag) => [
    { mlFeatures: [{ name: 'age', featureSources: [{ name: 'birthday', tags: [tag] }] }] },
    'mlFeatures.age.featureSources.birthday.tags',
  ],
  pipeline: (tag) => [{ tasks: [{ name: 'read', tags: [tag] }] }, 'tasks.read.tags'],
  dataContract: (tag) => [{ schema: [{ name: 'id', dataType: 'BIGINT', tags: [tag] }] }, 'schema.id.tags'],
}

interface Referred {
  readonly member: string
  readonly fqn: string
  readonly type: string
}

type Named = Omit<Referred, 'member'>

const namedIn = (value: Json): Named[] => {
  if (Array.isArray(value)) return value.flatMap(namedIn)
  if (!isObject(value)) return []
  if (typeof value['tagFQN'] === 'string')
    return [{ fqn: value['tagFQN'], type: value['source'] === 'Glossary' ? 'glossaryTerm' : 'tag' }]
  return 'type' in value && 'id' in value
    ? [{ fqn: value['fullyQualifiedName'] as string, type: value['type'] as string }]
    : []
}

/** What an answer shows that its members refer to. */
const referredIn = (answer: JsonObject, { fields, ancestors }: KindDefinition): Referred[] =>
  Object.entries(answer)
    .filter(([member]) => Object.hasOwn(fields, member) || ancestors.includes(member))
    .flatMap(([member, value]) => namedIn(value).map((named) => ({ member, ...named })))

/** `owners` → `owner`; a member with one reference is asked for by its own name. */
const filterFor = (member: string, value: Json | undefined): string =>
  Array.isArray(value) ? member.replace(/s$/, '') : member

/** Whatever it refers to finds it: by the filters of its list, now and then, by search, its facets and `usedBy`. */
export const isFoundByWhatItRefersTo = ({
  definition,
  path,
  call,
  maker,
  get,
  post,
  put,
  patch,
  remove,
}: KindUnderTest): void => {
  const { name: kind, traits } = definition
  const find = async (query: string): Promise<string[]> => {
    const { data, paging } = await get(`${path}?limit=1000&${query}`)
    expect([query, paging.total]).toEqual([query, data.length])
    return data.map(({ id }: { id: string }) => id)
  }

  /** Where an entity says that this one refers to it; all of it is counted. */
  const placesOf = async (target: Named, member: string, id: string, query = ''): Promise<string[]> => {
    const at = byName(kindNamed(target.type), target.fqn)
    const body = await get(`${at}/usedBy?limit=1000&kind=${kind}&member=${member}${query}`)
    expect(body.groups).toEqual([{ kind, member, count: body.data.length }])
    expect(body.paging.total).toBe(body.data.length)
    return body.data.find(({ entity }: { entity: { id: string } }) => entity.id === id)?.paths
  }

  it('each entity that it refers to finds it in its list and says so, as of then too', async () => {
    const { full } = await maker.sample('referring')
    const created = await post(path, { ...full, entityStatus: 'Deprecated' })
    const at = `${path}/${created.id}`
    if (traits.followers) {
      const me = await get('/v1/users/name/admin')
      await put(`${at}/followers`, me.id)
    }
    const entity = await get(`${at}?fields=*`)
    const { position } = (await get(`${at}/history?limit=1000`)).data.at(-1)
    const referred = referredIn(entity, definition)
    const members = referred.map(({ member }) => member)
    expect(members).toEqual(expect.arrayContaining(['owners', 'domains', 'tags']))
    expect(members.includes('followers')).toBe(traits.followers === true)
    for (const { member, fqn, type } of referred) {
      expect([member, await placesOf({ fqn, type }, member, entity.id)]).toEqual([
        member,
        expect.arrayContaining([member]),
      ])
      expect(await placesOf({ fqn, type }, member, entity.id, `&asOf=@${position}`)).toContain(member)
      const query = `${filterFor(member, entity[member])}=${encodeURIComponent(fqn)}`
      expect([query, (await find(query)).includes(entity.id)]).toEqual([query, true])
      expect([query, (await find(`${query}&asOf=@${position}`)).includes(entity.id)]).toEqual([query, true])
    }
    const above = filterNames(definition).filter((filter) => isAncestorMember(definition, filter))
    const texts = ['entityStatus', ...above.filter((filter) => typeof entity[filter] === 'string')]
    for (const filter of texts) {
      const found = await find(`${filter}=${encodeURIComponent(entity[filter])}`)
      expect([filter, found.includes(entity.id)]).toEqual([filter, true])
    }
    const asked = [...texts, ...members.map((member) => filterFor(member, entity[member]))]
    expect(asked).toEqual(expect.arrayContaining(above))
    for (const filter of asked) expect([filter, await find(`${filter}=no_such_thing`)]).toEqual([filter, []])
  })

  const tagged = inside[kind]
  it('is tried with a tag inside it if it may have one', () => expect(hasNested(definition)).toBe(tagged !== undefined))
  if (tagged === undefined) return

  it('a tag on an element inside it finds it in its list, in search and in the facet', async () => {
    const classification = `inside_${kind}`
    await post('/v1/classifications', { name: classification })
    await post('/v1/tags', { name: 'only', classification })
    const tag = `${classification}.only`
    const { minimal } = await maker.sample('inside')
    const { body: created, headers } = await answered(201, call('POST', path, { ...minimal, ...tagged(tag)[0] }))
    expect(JSON.stringify(created)).toContain(tag)
    expect(await find(`tag=${tag}`)).toEqual([created.id])
    expect(await find(`tag=${tag}&tagOn=columns`)).toEqual([created.id])
    expect(await find(`tag=${tag}&tagOn=self`)).toEqual([])
    const position = headers.get('catalog-position') as string
    const named = { fqn: tag, type: 'tag' }
    expect(await placesOf(named, 'tags', created.id)).toEqual([tagged(tag)[1]])
    expect(await placesOf(named, 'tags', created.id, `&asOf=@${position}`)).toEqual([tagged(tag)[1]])
    expect(await find(`tag=${tag}&asOf=@${position}`)).toEqual([created.id])
    expect(await find(`tag=${tag}&tagOn=self&asOf=@${position}`)).toEqual([])
    for (const query of [`q=tag:${tag}`, `tag=${tag}`, `q=${tag}%20kind:${kind}`]) {
      const body = await get(`/v1/search/query?facets=tag&${query}`)
      expect([query, body.hits.hits.map(({ _id }: { _id: string }) => _id)]).toEqual([query, [created.id]])
      expect([query, body.facets.tag]).toEqual([query, [{ value: tag, count: 1 }]])
    }
    const own = await patch(`${path}/${created.id}`, { tags: [{ tagFQN: tag }] })
    expect(own.tags).toHaveLength(1)
    expect((await placesOf(named, 'tags', created.id)).toSorted()).toEqual([tagged(tag)[1], 'tags'].toSorted())
    expect(await find(`tag=${tag}&tagOn=self`)).toEqual([created.id])
    expect(await find(`tag=${tag}`)).toEqual([created.id])
    await remove(`/v1/tags/name/${tag}?hardDelete=true`)
    expect(await find(`tag=${tag}`)).toEqual([])
    const after = await get(`${path}/${created.id}?fields=*`)
    expect(JSON.stringify({ ...after, changeDescription: undefined })).not.toContain(tag)
  })
}
