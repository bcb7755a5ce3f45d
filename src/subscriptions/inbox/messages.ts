import type { JsonObject } from '../../shared/json.ts'
import type { InboxChannel } from '../webhooks/webhook.ts'

/** The members of an inbox entry used in messages; the generic channel also passes on the others. */
export interface InboxEntry {
  readonly position: string
  readonly time: string
  readonly user: string
  readonly summary: string
  readonly entity: { readonly type: string; readonly fullyQualifiedName: string }
}

/** A message by mail. */
export interface Mail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Number of entries listed in a message; further ones are counted. */
const named = 50

const titleOf = (entries: readonly InboxEntry[]): string => {
  const [first, ...others] = entries as [InboxEntry, ...InboxEntry[]]
  return others.length === 0
    ? `${first.entity.fullyQualifiedName}: ${first.summary}`
    : `${entries.length} changes that concern you`
}

const restOf = (entries: readonly InboxEntry[]): string =>
  entries.length > named ? `… and ${entries.length - named} more.` : ''

/** The console's page of the entity. */
const addressOf = ({ entity }: InboxEntry, base: string): string =>
  `${base}/${entity.type}/${encodeURIComponent(entity.fullyQualifiedName)}`

type Write = (entry: InboxEntry, address: string | undefined) => string

const linesOf = (entries: readonly InboxEntry[], base: string | undefined, write: Write): string[] =>
  entries.slice(0, named).map((entry) => write(entry, base && addressOf(entry, base)))

const saidOf = ({ user, time }: InboxEntry): string => `${user}, ${time.slice(0, 16).replace('T', ' ')} UTC`

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (found) => entities[found] as string)

const inHtml: Write = (entry, address) => {
  const name = escaped(entry.entity.fullyQualifiedName)
  const link = address === undefined ? name : `<a href="${escaped(address)}">${name}</a>`
  return `<li><b>${link}</b>: ${escaped(entry.summary)} <small>${escaped(saidOf(entry))}</small></li>`
}

const inText: Write = (entry, address) =>
  `${entry.entity.fullyQualifiedName}: ${entry.summary} (${saidOf(entry)})${address === undefined ? '' : `\n  ${address}`}`

/** @param base public address of the console; without it there are no links */
export const mailOf = (entries: readonly InboxEntry[], base: string | undefined): Mail => ({
  subject: titleOf(entries),
  text: [...linesOf(entries, base, inText), restOf(entries)].join('\n'),
  html: `<ul>${linesOf(entries, base, inHtml).join('')}</ul><p>${restOf(entries)}</p>`,
})

/** Escapes Slack's markup, which knows no other entities. */
const plainInSlack = (text: string): string => text.replaceAll(/[&<>|]/g, (found) => entities[found] ?? '¦')

const inSlack: Write = (entry, address) => {
  const name = plainInSlack(entry.entity.fullyQualifiedName)
  const link = address === undefined ? `*${name}*` : `<${address}|${name}>`
  return `• ${link}: ${plainInSlack(entry.summary)} _${plainInSlack(saidOf(entry))}_`
}

/** Escapes the Markdown of Adaptive Cards. */
const plainInTeams = (text: string): string => text.replaceAll(/[\\`*_[\]()#]/g, String.raw`\$&`)

const inTeams: Write = (entry, address) => {
  const name = plainInTeams(entry.entity.fullyQualifiedName)
  const link = address === undefined ? `**${name}**` : `[${name}](${address})`
  return `- ${link}: ${plainInTeams(entry.summary)} ${plainInTeams(saidOf(entry))}`
}

const teamsCard = (entries: readonly InboxEntry[], base: string | undefined): JsonObject => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          { type: 'TextBlock', weight: 'Bolder', wrap: true, text: plainInTeams(titleOf(entries)) },
          { type: 'TextBlock', wrap: true, text: [...linesOf(entries, base, inTeams), restOf(entries)].join('\n') },
        ],
      },
    },
  ],
})

/** The message for a channel. @param base as for {@link mailOf} */
export const postOf = (
  channel: Exclude<InboxChannel, 'email'>,
  entries: readonly InboxEntry[],
  base: string | undefined,
): JsonObject => {
  if (channel === 'slack') return { text: [...linesOf(entries, base, inSlack), restOf(entries)].join('\n').trim() }
  return channel === 'teams' ? teamsCard(entries, base) : { data: entries.map((entry) => ({ ...entry })) }
}
