import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { partsOfType } from '../activity/live.ts'
import { call } from '../api/client.ts'
import { kindNamed } from '../api/kinds.ts'
import { queryClient } from '../api/queries.ts'
import { Button } from '../ui/Button.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { formatNumber, formatTime, plural, wordsOf } from '../ui/format.ts'
import { QueryResult } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import { deadLettersQuery, stateWords, webhookQuery, type DeadLetter, type Webhook } from './queries.ts'
import { WebhookDialog } from './WebhookDialog.tsx'
import { useTitle } from '../ui/useTitle.ts'

const Letter = ({ letter, onReplay }: { letter: DeadLetter; onReplay: (position: string) => void }) => {
  const { kind, verb } = partsOfType(letter.type)
  return (
    <tr>
      <td>{letter.position}</td>
      <td>{wordsOf(verb)}</td>
      <td>
        <EntityLink full reference={{ type: kind, fullyQualifiedName: letter.subject }} />
      </td>
      <td>{formatNumber(letter.attempts)}</td>
      <td>{letter.error}</td>
      <td>{formatTime(letter.time)}</td>
      <td>
        <Button
          icon="restore"
          label={`Send again from position ${letter.position} on`}
          onClick={() => onReplay(letter.position)}
        />
      </td>
    </tr>
  )
}

interface DeadLettersProps {
  readonly hook: Webhook
  readonly onReplay: (position: string) => void
}

const DeadLetters = ({ hook, onReplay }: DeadLettersProps) => {
  const letters = useQuery(deadLettersQuery(hook.id))
  return (
    <QueryResult query={letters}>
      {({ data, paging }) => (
        <section aria-label="Dead letters">
          <h2>
            Dead letters <span className="count">{formatNumber(paging.total)}</span>
          </h2>
          {data.length === 0 ? (
            <p className="hint">No dead letters. Failed deliveries are retried first.</p>
          ) : (
            <DataTable
              label="Dead letters"
              heads={['Position', 'Event', 'Entity', 'Attempts', 'Error', 'Given up', 'Actions']}
            >
              {data.map((letter) => (
                <Letter key={letter.position} letter={letter} onReplay={onReplay} />
              ))}
            </DataTable>
          )}
        </section>
      )}
    </QueryResult>
  )
}

/** The place after which there is everything from this position on; what is not a position stays, to be refused in words. */
const placeBefore = (position: string): string =>
  /^\d+$/.test(position) && BigInt(position) > 0n ? String(BigInt(position) - 1n) : position

interface ReplayDialogProps {
  readonly hook: Webhook
  /** What is offered at first. */
  readonly position: string
  readonly onClose: () => void
}

const ReplayDialog = ({ hook, position, onClose }: ReplayDialogProps) => {
  const [from, setFrom] = useState(position)
  const replay = useMutation({
    mutationFn: () => call('POST', `/v1/webhooks/${hook.id}/replay`, { body: { after: placeBefore(from.trim()) } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] })
      const later = hook.enabled ? 'is being sent again' : 'will be sent when it is enabled'
      toast(`Everything from position ${from.trim()} ${later}`)
      onClose()
    },
  })
  return (
    <Dialog
      title="Send again"
      onClose={onClose}
      action={{ words: 'Send again', by: replay, labels: { after: 'Position' } }}
    >
      <label className="field">
        <span>Everything from this log position (0: from the beginning)</span>
        <input inputMode="numeric" value={from} onChange={(event) => setFrom(event.target.value)} />
      </label>
      <p className="hint">
        Dead letters that are delivered this way are removed. The receiver sees these events again
        {!hook.enabled && ', but only when the webhook is enabled: nothing is sent now'}.
      </p>
    </Dialog>
  )
}

const filterWords = ({ filter }: Webhook): string => {
  const parts = [
    filter.kinds?.map((kind) => kindNamed(kind).many).join(', '),
    filter.types?.join(', '),
    filter.domains && `in ${filter.domains.join(', ')}`,
  ]
  return parts.filter((part) => part !== undefined).join(' · ') || 'Everything'
}

/** What keeps its deliveries from going on, and what to do about it. */
const Standing = ({ hook: { status } }: { hook: Webhook }) => {
  const { state, position, lastError } = status
  if (state === 'disabled')
    return (
      <p className="notice">
        Nothing is sent while it is disabled. Change it and enable it: delivery continues after position {position}.
      </p>
    )
  if (state !== 'failing' || lastError === undefined) return null
  return (
    <p className="notice bad">
      The receiver does not accept the event at position {lastError.position}: {lastError.message} It was tried{' '}
      {plural(lastError.attempts, 'time')}, with longer and longer pauses; after ten it is laid aside below, and the
      next one is sent.
    </p>
  )
}

type Asked = 'edit' | 'delete' | { readonly replay: string }

const isReplay = (asked: Asked | undefined): asked is { readonly replay: string } => typeof asked === 'object'

const Shown = ({ hook }: { hook: Webhook }) => {
  const { id } = hook
  const [asked, setAsked] = useState<Asked>()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => call('DELETE', `/v1/webhooks/${id}`),
    onSuccess: async () => {
      await navigate({ to: '/operate' })
      queryClient.removeQueries({ queryKey: ['webhooks', id] })
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  const { state, lag, position, lastSuccess, lastError, restarted } = hook.status
  const [words, look] = stateWords[state]
  const close = (): void => setAsked(undefined)
  const facts: readonly (readonly [string, string])[] = [
    ['Endpoint', hook.endpoint],
    ['What is sent', filterWords(hook)],
    ['Position', position],
    ['Behind the log', formatNumber(Number(lag))],
    ['Last success', lastSuccess ? formatTime(lastSuccess.time) : 'none yet'],
    ['Last error', lastError ? `${formatTime(lastError.time)}: ${lastError.message}` : 'none'],
    ...(restarted
      ? [
          [
            'Restarted',
            `${formatTime(restarted.time)}, after position ${restarted.position}: ${restarted.message}`,
          ] as const,
        ]
      : []),
  ]
  return (
    <div className="page sections">
      <nav className="crumbs" aria-label="Breadcrumbs">
        <Link to="/operate">Operate</Link>
      </nav>
      <div className="section-head">
        <h1>{hook.name}</h1>
        <div className="row">
          <span className={`badge ${look}`} role="status">
            {words}
          </span>
          <Button icon="pencil" onClick={() => setAsked('edit')}>
            Change
          </Button>
          <Button icon="restore" onClick={() => setAsked({ replay: '' })}>
            Send again
          </Button>
          <Button icon="trash" label="Delete" onClick={() => setAsked('delete')} />
        </div>
      </div>
      <Standing hook={hook} />
      <dl className="value-object card">
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <DeadLetters hook={hook} onReplay={(from) => setAsked({ replay: from })} />
      {asked === 'edit' && <WebhookDialog webhook={hook} onClose={close} />}
      {isReplay(asked) && <ReplayDialog hook={hook} position={asked.replay} onClose={close} />}
      {asked === 'delete' && (
        <Dialog
          title={`Delete ${hook.name}?`}
          onClose={close}
          action={{ words: 'Delete', by: remove, look: 'danger', icon: 'trash' }}
        >
          <p>No more events are sent, and its position and dead letters are deleted.</p>
        </Dialog>
      )}
    </div>
  )
}

/** One webhook: how its deliveries go, and what was given up. */
export const WebhookPage = () => {
  useTitle('Webhook')
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  return (
    <QueryResult query={useQuery(webhookQuery(id))} lines={6}>
      {(hook) => <Shown hook={hook} />}
    </QueryResult>
  )
}
