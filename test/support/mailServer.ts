import { text } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly source: string
}

/** A mail server on a free port of this machine, which keeps what it is handed. */
export const startMailServer = async () => {
  const received: ReceivedMail[] = []
  let refusals = 0
  let reason = ''
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, { envelope }, done) => {
      void text(stream).then((source) => {
        if (refusals > 0) {
          refusals--
          return done(Object.assign(new Error(reason), { responseCode: 451 }))
        }
        const to = envelope.rcptTo.map(({ address }) => address)
        received.push({ from: envelope.mailFrom === false ? '' : envelope.mailFrom.address, to, source })
        return done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received: received as readonly ReceivedMail[],
    /** Refuses as many mails as come next. */
    refuse: (number: number, text = 'try again later'): void => {
      refusals = number
      reason = text
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
