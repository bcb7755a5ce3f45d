import { expect, it } from 'vitest'
import type { RecordedEvent } from '../../../src/events/events.ts'
import { makeInboxOutlet, lastDigest, type InboxPlace } from '../../../src/subscriptions/inbox/inboxOutlet.ts'
import { mailOf, postOf, type InboxEntry } from '../../../src/subscriptions/inbox/messages.ts'
import type { Webhook } from '../../../src/subscriptions/webhooks/webhook.ts'

const at = (text: string): number => Date.parse(`2030-05-${text}:00Z`)

const entry = (position: bigint, more: Partial<InboxEntry> = {}): InboxEntry => ({
  position: String(position),
  time: '2030-05-01T10:00:00.000Z',
  user: 'eve',
  summary: 'Changed description.',
  entity: { type: 'table', fullyQualifiedName: 'shop.t' },
  ...more,
})

/** An outlet whose inbox has something at these places; of what is hidden nothing may be told. */
const outletOn = (
  places: InboxPlace[],
  {
    when = 'daily',
    now = 0,
    hidden = [] as bigint[],
    reached = 100n,
    email = 'ann@example.org',
    isDeleted = false,
    machine = new Map<bigint, string>(),
  },
) => {
  const mails: { to: string; subject: string; id: string }[] = []
  const outlet = makeInboxOutlet({
    webhook: { id: 'w', inbox: { channel: 'email', when, concerns: [] } } as never as Webhook & { inbox: never },
    source: {
      places: async (after = -1n, limit) => ({
        places: places.filter(({ position }) => position > after).slice(0, limit),
        reached,
      }),
      entries: async (positions) => positions.filter((one) => !hidden.includes(one)).map((one) => entry(one)),
      reader: async () => ({ email: email === '' ? undefined : email, isDeleted }),
    },
    log: {
      eventAt: async (position) =>
        position > 100n
          ? undefined
          : ({ id: `e${position}`, position, metadata: { machineTime: machine.get(position) } } as RecordedEvent),
    },
    feed: { wait: async () => undefined, closing: new AbortController().signal },
    sender: { send: async () => ({ ok: false, error: 'posted' }), close: () => undefined },
    mailer: {
      send: async (to, { subject }, id) => {
        mails.push({ to, subject, id })
        return { ok: true, status: 250 }
      },
      close: () => undefined,
    },
    base: undefined,
    now: () => now,
  })
  const read = async (after: bigint | undefined) => {
    const page = await outlet.feed.read({ after, match: () => true, limit: 100 })
    return { texts: page.items.map(({ text }) => text), position: page.position, newest: page.newest?.position }
  }
  const send = (body: string) =>
    outlet.sender.send({ endpoint: '', secret: '', id: 'e', body }, new AbortController().signal)
  return { read, send, mails }
}

const places = [
  { position: 3n, time: at('01T06:00') },
  { position: 5n, time: at('01T06:59') },
  { position: 9n, time: at('01T07:00') },
]

it('a digest has all that came before seven o’clock, in one message, and what came later waits', async () => {
  expect(lastDigest(at('01T06:59'))).toBe(Date.parse('2030-04-30T07:00:00Z'))
  expect(lastDigest(at('01T07:00'))).toBe(at('01T07:00'))
  const early = outletOn(places, { now: at('01T06:59') })
  expect(await early.read(1n)).toEqual({ texts: [], position: 1n, newest: undefined })
  const due = outletOn(places, { now: at('01T07:30') })
  expect(await due.read(1n)).toEqual({ texts: ['["3","5"]'], position: 5n, newest: 5n })
  expect(await due.read(5n)).toEqual({ texts: [], position: 5n, newest: undefined })
  const nextDay = outletOn(places, { now: at('02T07:00') })
  expect(await nextDay.read(5n)).toEqual({ texts: ['["9"]'], position: 100n, newest: 100n })
})

it('entries that are not sent are passed as well, so a restart does not come back to them', async () => {
  const hidden = outletOn(places, { when: 'atOnce', hidden: [5n, 9n] })
  expect(await hidden.read(3n)).toEqual({ texts: [], position: 100n, newest: 100n })
})

it('a digest has what came before an entry that is due, also where that has an earlier time', async () => {
  const [first, , last] = places as [InboxPlace, InboxPlace, InboxPlace]
  const back = outletOn([first, last, { position: 12n, time: at('01T06:59') }], { now: at('01T07:30') })
  expect(await back.read(1n)).toMatchObject({ texts: ['["3","9","12"]'], position: 100n })
})

it('a digest is of the days of the machine, also where the log is ahead of it', async () => {
  const ahead = [3n, 5n, 9n].map((position) => ({ position, time: at('31T10:00') }))
  const machine = new Map([
    [5n, '2030-05-01T06:59:00Z'],
    [9n, '2030-05-01T07:00:00Z'],
  ])
  const due = outletOn(ahead, { now: at('01T07:30'), machine })
  expect(await due.read(1n)).toEqual({ texts: ['["3","5"]'], position: 5n, newest: 5n })
  expect(await due.read(5n)).toEqual({ texts: [], position: 5n, newest: undefined })
  expect(await outletOn(ahead, { now: at('02T07:00'), machine }).read(5n)).toMatchObject({ texts: ['["9"]'] })
})

it('at once each entry is a message, and the place never goes back', async () => {
  const outlet = outletOn(places, { when: 'atOnce' })
  expect(await outlet.read(3n)).toEqual({ texts: ['["5"]', '["9"]'], position: 100n, newest: 100n })
  expect(await outlet.read(100n)).toEqual({ texts: [], position: 100n, newest: undefined })
  const behind = outletOn(places, { when: 'atOnce', reached: 4n })
  expect(await behind.read(50n)).toEqual({ texts: [], position: 50n, newest: undefined })
  const between = outletOn(places, { when: 'atOnce', reached: 101n })
  expect(await between.read(3n)).toEqual({ texts: ['["5"]', '["9"]'], position: 9n, newest: undefined })
})

it('what may no longer be viewed is not sent, and nothing is lost where there is no address', async () => {
  const some = outletOn(places, { hidden: [3n] })
  expect(await some.send('["3","5"]')).toMatchObject({ ok: true })
  expect(some.mails).toEqual([{ to: 'ann@example.org', subject: 'shop.t: Changed description.', id: 'w.e' }])
  const none = outletOn(places, { hidden: [3n] })
  expect(await none.send('["3"]')).toMatchObject({ ok: true })
  expect(none.mails).toEqual([])
  expect(await outletOn(places, { email: '' }).send('["3"]')).toMatchObject({ ok: false })
})

it('while the user is deleted nothing is sent, and all waits for a restore', async () => {
  const away = outletOn(places, { when: 'atOnce', isDeleted: true })
  expect(await away.read(3n)).toEqual({ texts: [], position: 3n, newest: undefined })
  expect(await away.send('["5"]')).toEqual({ ok: false, error: 'Your user is deleted.' })
  expect(away.mails).toEqual([])
})

it('names and sentences cannot pass for what a message is made of', () => {
  const name = `a <b>|"c" [x](javascript:1) *d* & e`
  const evil = entry(1n, { entity: { type: 'table', fullyQualifiedName: name } })
  const { html, text } = mailOf([evil], 'https://c.example.org')
  expect(html).not.toMatch(/<b>\||"c"/)
  expect(html).toContain('&lt;b&gt;|&quot;c&quot;')
  const address = `https://c.example.org/table/${encodeURIComponent(name).replace('(', '%28').replace(')', '%29')}`
  expect(text).toContain(address)
  expect(JSON.stringify(postOf('teams', [evil], 'https://c.example.org'))).toContain(`](${address})`)
  const { text: slack } = postOf('slack', [evil], 'https://c.example.org') as { text: string }
  expect(slack.match(/<[^>]*>/g)).toHaveLength(1)
  expect(slack).toContain('a &lt;b&gt;¦"c" [x](javascript:1) *d* &amp; e')
  expect(JSON.stringify(postOf('teams', [evil], undefined))).not.toContain('[x](')
})

it('a line break in a sentence begins no line of a message', () => {
  const run = entry(1n, { summary: 'Run 1\n• *shop.t*: Deleted.\r\n- b\u2028c: COMPLETE.' })
  const { text } = mailOf([run], undefined)
  const { text: slack } = postOf('slack', [run], undefined) as { text: string }
  expect([text, slack].filter((message) => /[\n\r\u2028]/.test(message))).toEqual([])
  expect(JSON.stringify(postOf('teams', [run], undefined))).not.toMatch(/\\[nr]|\u2028/)
})

it('a message names fifty, and says how many more there are', () => {
  const many = Array.from({ length: 60 }, (_, index) => entry(BigInt(index)))
  const { subject, text, html } = mailOf(many, undefined)
  expect(subject).toBe('60 changes that concern you')
  expect(text.match(/shop\.t/g)).toHaveLength(50)
  expect([text, html].every((one) => one.includes('… and 10 more.'))).toBe(true)
  expect((postOf('webhook', many, undefined)['data'] as unknown[]).length).toBe(60)
})

it.each([
  ['teams', 28_000],
  ['slack', 40_000],
] as const)('a message to %s is no larger than it accepts, however long the names are', (channel, most) => {
  const named = (length: number) => ({ entity: { type: 'table', fullyQualifiedName: '表'.repeat(length) } })
  for (const [entries, length] of [
    [60, 300],
    [1, 3000],
  ] as const) {
    const many = Array.from({ length: entries }, (_, index) => entry(BigInt(index), named(length)))
    const text = JSON.stringify(postOf(channel, many, 'https://c.example.org'))
    expect(Buffer.byteLength(text)).toBeLessThan(most)
    expect(text).toMatch(entries === 1 ? /表/ : /… and \d+ more\./)
  }
})
