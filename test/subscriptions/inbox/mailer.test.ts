import { expect, onTestFinished, test } from 'vitest'
import { makeMailer, withoutAddresses } from '../../../src/subscriptions/inbox/mailer.ts'
import { startMailServer } from '../../support/mailServer.ts'

const mail = { subject: 's', text: 't', html: '<p>t</p>' }

test.each([
  ['550 5.1.1 <mal@example.org>: Recipient address rejected', '550 5.1.1 <…>: Recipient address rejected'],
  ['550 5.1.1 mal... User unknown', '550 5.1.1 … User unknown'],
  ['550 no mailbox "Mal" here, for SRS0=x=example.org=mal@relay.example', '550 no mailbox "…" here, for …'],
  ['554 malformed message', '554 malformed message'],
  ['connect ECONNREFUSED 127.0.0.1:25', 'connect ECONNREFUSED 127.0.0.1:25'],
])('of the answer %j is kept %j', (answer, kept) => {
  expect(withoutAddresses(answer, 'mal@example.org')).toBe(kept)
})

test.each(['a;b@x.org', 'ann(comment)@x.org', 'group:a@x.org', 'a,b@x.org', 'eve@x.org;'])(
  'a mail goes to the address %j, quoted where it needs that, and to no other',
  async (address) => {
    const server = await startMailServer()
    const mailer = makeMailer({ url: server.url, from: 'catalog@example.org' })
    onTestFinished(async () => {
      mailer.close()
      await server.close()
    })
    await mailer.send(address, mail, 'a')
    expect(server.received.flatMap(({ to }) => to).filter((to) => to.replaceAll('"', '') !== address)).toEqual([])
  },
)

test('what a mail server refuses is told with its code, and without the address', async () => {
  const server = await startMailServer()
  const mailer = makeMailer({ url: server.url, from: 'catalog@example.org' })
  onTestFinished(async () => {
    mailer.close()
    await server.close()
  })
  server.refuse(1, '5.2.2 <mal@example.org>: the mailbox of mal is full')
  const refused = await mailer.send('mal@example.org', mail, 'a')
  expect(refused).toEqual({ ok: false, error: expect.stringContaining('451 5.2.2 <…>: the mailbox of … is full') })
})
