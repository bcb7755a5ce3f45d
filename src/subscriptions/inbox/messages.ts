import { escapeHtml } from '../../shared/escape.ts'
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

export interface Mail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Number of entries listed in a message; further ones are counted. */
const maxEntries = 50

/** Most bytes of the list of a message in JSON: Teams refuses messages of more than 28 KB, Slack 40,000 characters. */
const maxTeamsBytes = 16_000
const maxSlackBytes = 32_000

/** In one line: what a run or a source is called may have several. */
const summaryOf = ({ summary }: InboxEntry): string => summary.replaceAll(/\s+/g, ' ')

const titleOf = (entries: readonly InboxEntry[]): string => {
  const [first, ...others] = entries as [InboxEntry, ...InboxEntry[]]
  return others.length === 0
    ? `${first.entity.fullyQualifiedName}: ${summaryOf(first)}`
    : `${entries.length} changes that concern you`
}

/** The console's page of the entity. A link of Markdown ends at a parenthesis. */
const addressOf = ({ entity }: InboxEntry, base: string): string => {
  const name = encodeURIComponent(entity.fullyQualifiedName).replaceAll('(', '%28').replaceAll(')', '%29')
  return `${base}/${entity.type}/${name}`
}

type Write = (entry: InboxEntry, address: string | undefined) => string

const bytesOf = (line: string): number => Buffer.byteLength(JSON.stringify(line))

/** A line for each entry that fits, and the number of the others. A line that alone is too long has no link. */
const listOf = (entries: readonly InboxEntry[], base: string | undefined, write: Write, limit = Infinity): string[] => {
  const lines: string[] = []
  let left = limit
  for (const entry of entries.slice(0, maxEntries)) {
    const linked = write(entry, base && addressOf(entry, base))
    const line = bytesOf(linked) > limit ? write(entry, undefined) : linked
    left -= bytesOf(line)
    if (left < 0 && lines.length > 0) break
    lines.push(line)
  }
  const more = entries.length - lines.length
  return more > 0 ? [...lines, `… and ${more} more.`] : lines
}

const bylineOf = ({ user, time }: InboxEntry): string => `${user}, ${time.slice(0, 16).replace('T', ' ')} UTC`

const inHtml: Write = (entry, address) => {
  const name = escapeHtml(entry.entity.fullyQualifiedName)
  const link = address === undefined ? name : `<a href="${escapeHtml(address)}">${name}</a>`
  return `<b>${link}</b>: ${escapeHtml(summaryOf(entry))} <small>${escapeHtml(bylineOf(entry))}</small>`
}

const inText: Write = (entry, address) =>
  `${entry.entity.fullyQualifiedName}: ${summaryOf(entry)} (${bylineOf(entry)})${address === undefined ? '' : `\n  ${address}`}`

/** @param base public address of the console; without it there are no links */
export const mailOf = (entries: readonly InboxEntry[], base: string | undefined): Mail => ({
  subject: titleOf(entries),
  text: listOf(entries, base, inText).join('\n'),
  html: `<ul><li>${listOf(entries, base, inHtml).join('</li><li>')}</li></ul>`,
})

/** Escapes Slack's markup, which knows no other entities. */
const plainInSlack = (text: string): string => text.replaceAll(/[&<>]/g, escapeHtml).replaceAll('|', '¦')

const inSlack: Write = (entry, address) => {
  const name = plainInSlack(entry.entity.fullyQualifiedName)
  const link = address === undefined ? `*${name}*` : `<${address}|${name}>`
  return `• ${link}: ${plainInSlack(summaryOf(entry))} _${plainInSlack(bylineOf(entry))}_`
}

/** Escapes the Markdown of Adaptive Cards. */
const plainInTeams = (text: string): string => text.replaceAll(/[\\`*_[\]()#]/g, String.raw`\$&`)

const inTeams: Write = (entry, address) => {
  const name = plainInTeams(entry.entity.fullyQualifiedName)
  const link = address === undefined ? `**${name}**` : `[${name}](${address})`
  return `- ${link}: ${plainInTeams(summaryOf(entry))} ${plainInTeams(bylineOf(entry))}`
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
          { type: 'TextBlock', wrap: true, text: listOf(entries, base, inTeams, maxTeamsBytes).join('\n') },
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
  if (channel === 'slack') return { text: listOf(entries, base, inSlack, maxSlackBytes).join('\n') }
  return channel === 'teams' ? teamsCard(entries, base) : { data: entries.map((entry) => ({ ...entry })) }
}
