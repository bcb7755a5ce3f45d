import { decodeParsed } from '../../../events/codec.ts'
import type { RecordedEvent } from '../../../events/events.ts'
import { summarizeEvent } from '../../../events/verbs.ts'
import { maskSecrets } from '../../../shared/secrets/sealed.ts'
import { escapeHtml } from '../../../shared/escape.ts'
import type { Json } from '../../../shared/json.ts'

interface ReportHead {
  /** The selection as requested. */
  readonly selection: readonly (readonly [name: string, value: string | undefined])[]
  readonly origin: string
  /** Tree size and root (base64) of the checkpoint. */
  readonly size: number
  readonly root: string
  /** Public key that signed it. */
  readonly key: string
  readonly made: Date
}

const style = `
  body { font: 11pt/1.45 Georgia, 'Times New Roman', serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; \
color: #111 }
  h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem \
} dt { font-weight: bold } dd { margin: 0; overflow-wrap: anywhere }
  article { border-top: 1px solid #999; padding: .6rem 0; break-inside: avoid-page }
  h3 { font-size: 1rem; margin: 0 } p { margin: .3rem 0 } small { color: #444; overflow-wrap: anywhere }
  pre { font: 9pt/1.35 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f4f4; \
padding: .5rem; margin: .4rem 0 }
  @media print { body { margin: 0; max-width: none } pre { background: none; border-left: 2px solid #999 } }
  @page { margin: 18mm }`

const terms = (pairs: ReportHead['selection']): string =>
  `<dl>${pairs.map(([name, value]) => (value === undefined ? '' : `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)).join('')}</dl>`

export const reportHead = ({ selection, origin, size, root, key, made }: ReportHead): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence from the log ${escapeHtml(origin)}</title>
<style>${style}
</style>
</head>
<body>
<h1>Evidence from the log ${escapeHtml(origin)}</h1>
${terms([...selection, ['Made', made.toISOString()], ['Events in the log then', String(size)], ['Root of their tree', root], ['Signed by', key]])}
<h2>What it proves, and what not</h2>
<p>Each event below stands in the log exactly so, at the place that is named, and of each entity none is missing \
between the first and the last that are shown. Nobody can have changed them after the checkpoint was signed without
being found out by whoever kept a checkpoint from then or later. It does not prove that nothing happened before the \
first or after the last event shown, that what users wrote is true, or whose the key is: compare it with the
one that you know the log by. <code>node verify.mjs</code>, or <code>python3 verify.py</code>, checks all of it, and \
that this report is the one that was signed; neither needs the catalog.</p>
<p>Where ******** stands the log has a sealed value: a secret, or what says who a person is. That it is the one that \
was written is proven too; what it was, this report does not tell, whether it has been erased since or not.</p>
<h2>Events</h2>
`

/** One event for people, with secrets masked. */
export const reportEvent = (event: RecordedEvent, leafIndex: number): string => {
  const { position, revision, id, stream, type, metadata } = event
  const { kind, fullyQualifiedName, user, time, correlationId, hash } = metadata
  const known = decodeParsed({ ...event, data: event.data as Json, metadata: { ...metadata } })
  const data = JSON.stringify(maskSecrets(known.data as Json), undefined, 2)
  return `<article>
<h3>${escapeHtml(time)}: ${escapeHtml(user)}</h3>
<p>${escapeHtml(kind)} <strong>${escapeHtml(fullyQualifiedName)}</strong>: ${escapeHtml(summarizeEvent(known).summary)}</p>
<pre>${escapeHtml(data)}</pre>
<small>${escapeHtml(type)}, revision ${revision} of ${escapeHtml(stream)}, position ${position}, leaf ${leafIndex} of the tree, request ${escapeHtml(correlationId)}, event ${escapeHtml(id)}, hash ${escapeHtml(hash)}</small>
</article>
`
}

export const reportEnd = (events: number): string => `<p>${events} ${events === 1 ? 'event' : 'events'} in all.</p>
</body>
</html>
`
