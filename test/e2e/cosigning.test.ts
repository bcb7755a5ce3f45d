import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeSignerKey, readSignerKey } from '../../src/transparency/note.ts'
import { startStrictWitness } from '../support/strictWitness.ts'
import { catalogOn } from '../support/commandLine.ts'
import { openService, type InProcess } from '../support/running.ts'
import { temporaryDataDir } from '../support/service.ts'
import { waitFor } from '../support/waitFor.ts'

type Witness = Awaited<ReturnType<typeof startStrictWitness>>

const data = temporaryDataDir()
const folder = join(data.path, 'data')
const file = (name: string): string => join(data.path, name)
const auditKey = makeSignerKey('catalog.example.com')
let [one, other]: Witness[] = []
let service: InProcess

const start = async (): Promise<void> => {
  service = await openService(
    {
      CATALOG_AUDIT_KEY_FILE: file('audit.key'),
      CATALOG_AUDIT_WITNESS: [one, other].map((witness) => witness?.prefix).join(),
      CATALOG_AUDIT_WITNESS_KEYS: [one, other].map((witness) => witness?.key).join(),
      CATALOG_AUDIT_WITNESS_EVERY: '1,1s',
    },
    folder,
  )
}
const statuses = (witness: Witness | undefined): number[] => witness?.requests.map(({ status }) => status) ?? []
const states = async () => (await service.call('GET', '/v1/audit/witnesses')).body.data as Record<string, unknown>[]
const cosigned = async () => service.call('GET', '/v1/audit/checkpoint?cosigned=true')
/** The newest checkpoint, once all have signed it: the next one that is due has fewer lines at first. */
const fullyCosigned = (): Promise<string> =>
  waitFor(async () => {
    const { body } = await cosigned()
    expect(linesOf(body)).toHaveLength(3)
    return String(body)
  })
const linesOf = (note: unknown): string[] =>
  String(note)
    .split('\n')
    .filter((line) => line.startsWith('— '))

beforeAll(async () => {
  writeFileSync(file('audit.key'), auditKey)
  const { text } = readSignerKey(auditKey)
  ;[one, other] = [
    await startStrictWitness('one.example.com/w', text),
    await startStrictWitness('two.example.com/w', text),
  ]
  await start()
})
afterAll(async () => {
  await service.close()
  await Promise.all([one?.close(), other?.close()])
  await data.remove()
})

it('witnesses cosign each checkpoint that is due, and it is given with their lines', async () => {
  await fullyCosigned()
  for (const name of ['a', 'b', 'c']) {
    const before = one?.seen().size ?? 0
    expect((await service.call('POST', '/v1/glossaries', { name })).status).toBe(201)
    await waitFor(() => expect(one?.seen().size).toBeGreaterThan(before))
  }
  // From what it saw last, with a proof that it believes.
  expect(one?.requests.at(-1)?.old).toBeGreaterThan(0)
  expect(new Set(statuses(one))).toEqual(new Set([200]))
  expect(await states()).toMatchObject([{ size: expect.any(Number) }, { size: expect.any(Number) }])
})

it('a witness that has seen another size says so, and is told what goes on from there', async () => {
  await service.close()
  const before = one?.requests.length ?? 0
  await start()
  expect((await service.call('POST', '/v1/glossaries', { name: 'd' })).status).toBe(201)
  await waitFor(() => expect(statuses(one).slice(before)).toEqual(expect.arrayContaining([409, 200])))
})

it('a quorum of witnesses is checked, offline too', async () => {
  const note = await fullyCosigned()
  writeFileSync(file('checkpoint'), note)
  writeFileSync(file('key'), readSignerKey(auditKey).text)
  writeFileSync(file('witnesses'), `${one?.key}\n${other?.key}\n`)
  const known = ['--checkpoint', file('checkpoint'), '--key', file('key')]
  const verify = (...args: string[]) => catalogOn(folder, ['audit', 'verify', ...known, ...args])
  const { code, stdout } = await verify('--witness', file('witnesses'), '--quorum', '2')
  expect([code, stdout]).toEqual([0, expect.stringContaining('It begins with the events signed by 1 checkpoint')])
  expect(await verify('--witness', String(one?.key))).toMatchObject({ code: 0 })
  writeFileSync(file('log.ndjson'), (await catalogOn(folder, ['replay'])).stdout)
  expect(await verify('--file', file('log.ndjson'), '--witness', file('witnesses'))).toMatchObject({ code: 0 })
  // Without the line of one of them, and with one whose time was changed.
  const [log = '', first = '', second = ''] = linesOf(note)
  const text = note.split('\n\n')[0]
  writeFileSync(file('checkpoint'), `${text}\n\n${log}\n${first}\n`)
  expect(await verify('--witness', file('witnesses'))).toMatchObject({ code: 1 })
  const [dash, name, signature = ''] = second.split(' ')
  const bytes = Buffer.from(signature, 'base64')
  bytes[11] = (bytes[11] as number) ^ 1
  writeFileSync(file('checkpoint'), `${text}\n\n${log}\n${first}\n${dash} ${name} ${bytes.toString('base64')}\n`)
  const changed = await verify('--witness', file('witnesses'), '--quorum', '1')
  expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining('does not hold')])
})

it('a witness that saw another history refuses for ever, and is named', async () => {
  const { size } = other?.seen() ?? { size: 0 }
  other?.remember({ size, root: Buffer.alloc(32, 1) })
  expect((await service.call('POST', '/v1/glossaries', { name: 'e' })).status).toBe(201)
  await waitFor(async () =>
    expect((await states())[1]).toMatchObject({
      failing: { error: expect.stringMatching(/It answered 422/) as string },
    }),
  )
  other?.remember({ size: size + 1000, root: Buffer.alloc(32, 1) })
  await waitFor(async () =>
    expect((await states())[1]).toMatchObject({
      failing: { error: expect.stringMatching(/It has seen a checkpoint of/) as string },
    }),
  )
})
