import { createTransport } from 'nodemailer'
import type { SendResult } from '../webhooks/send.ts'
import type { Mail } from './messages.ts'

interface MailerOptions {
  /** `smtp://user:password@host:port`, or `smtps://`. */
  readonly url: string
  /** An address, or `Name <address>`. */
  readonly from: string
  /** Timeout in milliseconds for connecting, and for each answer (default 15,000). */
  readonly timeout?: number
}

/** An answer of a mail server without e-mail addresses and without the name of the recipient's mailbox. */
export const withoutAddresses = (answer: string, to: string): string => {
  const mailbox = to.split('@')[0]?.toLowerCase()
  return answer.replaceAll(/[^\s<>()"',:;]+/g, (word) =>
    word.includes('@') || word.replace(/(?<!\.)\.+$/, '').toLowerCase() === mailbox ? '…' : word,
  )
}

/** Sends mail through a server; connections stay open between messages. */
export const makeMailer = ({ url, from, timeout = 15_000 }: MailerOptions) => {
  const waits = { connectionTimeout: timeout, greetingTimeout: timeout, socketTimeout: timeout }
  const transport = createTransport({ url, pool: true, maxConnections: 2, ...waits })
  return {
    /** Sends once. Never throws: a failure is a result. @param id the same for every attempt */
    send: async (to: string, mail: Mail, id: string): Promise<SendResult> => {
      try {
        // A text would be read as a list of addresses.
        const recipient = { name: '', address: to }
        await transport.sendMail({ from, to: recipient, ...mail, messageId: `<${id}@metadata-catalog>` })
        return { ok: true, status: 250 }
      } catch (error) {
        return { ok: false, error: `The mail server: ${withoutAddresses((error as Error).message, to)}` }
      }
    },
    close: (): void => transport.close(),
  }
}

export type Mailer = ReturnType<typeof makeMailer>
