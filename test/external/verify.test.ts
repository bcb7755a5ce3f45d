import { MongoClient, type Document } from 'mongodb'
import { expect, it, onTestFinished } from 'vitest'
import { storesFor } from '../support/external.ts'
import { thorough } from '../support/fastCheck.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runCli, startBuilt, type RunningService } from '../support/service.ts'
import { describeWith } from './support.ts'

const load = async ({ call }: RunningService): Promise<void> => {
  const put = async (path: string, body: object): Promise<void> =>
    expect((await call('PUT', `/v1/${path}`, body)).status, path).toBeLessThan(300)
  await put('users', { name: 'reader' })
  await put('glossaries', { name: 'books', owners: ['reader'] })
  await put('glossaries', { name: 'books', description: 'the owner is told' })
  await put('services/databaseServices', { name: 's', serviceType: 'Mysql' })
  await put('databases', { name: 'd', service: 's' })
  await put('databaseSchemas', { name: 'p', database: 's.d' })
  for (const name of ['from', 'to']) await put('tables', { name, databaseSchema: 's.d.p', columns: [] })
  await put('lineage/table/name/s.d.p.to?source=manual', {
    edges: [{ from: { type: 'table', fullyQualifiedName: 's.d.p.from' } }],
  })
}

const changed = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1_000_000
  if (typeof value === 'string') return `${value}x`
  if (Array.isArray(value)) return [...(value as unknown[]), 'x']
  return typeof value === 'boolean' ? !value : { ...(value as object), x: 1 }
}

describeWith({ readModels: true }, 'catalog verify with read models in MongoDB', () => {
  it('finds a change of any value of any collection, and names the projection', { timeout: 900_000 }, async () => {
    const folder = await temporaryFolder()
    const stores = storesFor(folder)
    const service = await startBuilt(folder, stores)
    onTestFinished(async () => void (await service.stop('SIGKILL')))
    await load(service)
    const lags = async () => (await service.call('GET', '/readyz')).body.dependencies.projections.behind
    await expect.poll(lags, { timeout: 20_000 }).toBeUndefined()
    await service.stop()
    const verify = () => runCli(folder, ['verify'], stores)
    expect(verify()).toMatchObject({ code: 0 })
    const client = await new MongoClient(stores['CATALOG_MONGODB_URL'] as string).connect()
    onTestFinished(() => client.close())
    const db = client.db()
    const missed: string[] = []
    let at = 0
    for (const { collection: name } of await db.collection('read_models').find().toArray()) {
      const collection = db.collection<Document & { _id: string }>(name as string)
      const documents = (await collection.find().toArray()).filter(({ _id }) => _id !== 'state')
      expect(documents.length, name as string).toBeGreaterThan(0)
      for (const field of new Set(documents.flatMap((each) => Object.keys(each)))) {
        if (field === '_id' || (!thorough && at++ % 5 > 0)) continue
        const document = documents.findLast((each) => field in each) as Document & { _id: string }
        const one = { _id: document._id }
        await collection.updateOne(one, { $set: { [field]: changed(document[field]) } })
        const { code, stdout, stderr } = verify()
        const isNamed = `${stdout}${stderr}`.includes((name as string).split('_')[0] as string)
        if (code !== 1 || !isNamed)
          missed.push(`${name} ${field} ${JSON.stringify(document)} ${code} ${stdout} ${stderr}`)
        await collection.replaceOne(one, document)
      }
    }
    expect(missed.join('\n')).toBe('')
    expect(verify()).toMatchObject({ code: 0 })
  })
})
