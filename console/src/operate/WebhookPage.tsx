import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { kindNamed } from '../api/kinds.ts'
import { queryClient } from '../api/queries.ts'
import { Button } from '../ui/Button.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { formatNumber, formatTime } from '../ui/format.ts'
import { Empty, Failure, Problems, Skeleton } from '../ui/States.tsx'
import { toast, toastError } from '../ui/toasts.tsx'
import { deadLettersQuery, stateWords, webhookQuery, type Webhook } from './queries.ts'
import { WebhookDialog } from './WebhookDialog.tsx'

const DeadLetters = ({ hook }: { hook: Webhook }) => {
  const { data, error } = useQuery(deadLettersQuery(hook.id))
  if (error) return <Failure error={error} />
  if (data === undefined) return <Skeleton />
  return (
    <section aria-label="Dead letters">
      <h2>
        Dead letters <span className="count">{formatNumber(data.paging.total)}</span>
      </h2>
      {data.data.length === 0 ? (
        <p className="hint">Nothing was given up. What fails is tried again for a while first.</p>
      ) : (
        <DataTable label="Dead letters" heads={['Position', 'Event', 'Entity', 'Attempts', 'Error', 'Given up']}>
          {data.data.map((letter) => (
            <tr key={letter.position}>
              <td>{letter.position}</td>
              <td>{letter.type}</td>
              <td>
                <code>{letter.subject}</code>
              </td>
              <td>{formatNumber(letter.attempts)}</td>
              <td>{letter.error}</td>
              <td>{formatTime(letter.time)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </section>
  )
}

const ReplayDialog = ({ hook, onClose }: { hook: Webhook; onClose: () => void }) => {
  const [after, setAfter] = useState('0')
  const replay = useMutation({
    mutationFn: () => call('POST', `/v1/webhooks/${hook.id}/replay`, { body: { after } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] })
      toast('It begins again')
      onClose()
    },
  })
  return (
    <Dialog
      title="Send again"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={replay.isPending} onClick={() => replay.mutate()}>
            Send again
          </Button>
        </>
      }
    >
      <label className="field">
        <span>Everything after this position of the log (0: from the beginning)</span>
        <input inputMode="numeric" value={after} onChange={(event) => setAfter(event.target.value)} />
      </label>
      <p className="hint">What is delivered then is no dead letter any more. The receiver sees these events again.</p>
      <Problems error={replay.error} />
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

type Asked = 'edit' | 'replay' | 'delete'

/** One webhook: how its deliveries go, and what was given up. */
export const WebhookPage = () => {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const { data: hook, error, refetch } = useQuery(webhookQuery(id))
  const [asked, setAsked] = useState<Asked>()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => call('DELETE', `/v1/webhooks/${id}`),
    onSuccess: async () => {
      await navigate({ to: '/operate' })
      queryClient.removeQueries({ queryKey: ['webhooks', id] })
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] })
    },
    onError: toastError,
  })
  if (error) return <Failure error={error} retry={() => void refetch()} />
  if (hook === undefined) return <Skeleton lines={6} />
  const { state, lag, position, lastSuccess, lastError } = hook.status
  const [words, look] = stateWords[state]
  const close = (): void => setAsked(undefined)
  const facts: readonly (readonly [string, string])[] = [
    ['Sent', filterWords(hook)],
    ['Position', position],
    ['Behind the log', formatNumber(Number(lag))],
    ['Last success', lastSuccess ? formatTime(lastSuccess.time) : 'none yet'],
    ['Last error', lastError ? `${formatTime(lastError.time)}: ${lastError.message}` : 'none'],
  ]
  return (
    <div className="page sections">
      <nav className="crumbs" aria-label="Where it stands">
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
          <Button icon="restore" onClick={() => setAsked('replay')}>
            Send again
          </Button>
          <Button icon="trash" label="Delete" onClick={() => setAsked('delete')} />
        </div>
      </div>
      <p>
        <code>{hook.endpoint}</code>
      </p>
      <dl className="value-object card">
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <DeadLetters hook={hook} />
      {asked === 'edit' && <WebhookDialog webhook={hook} onClose={close} />}
      {asked === 'replay' && <ReplayDialog hook={hook} onClose={close} />}
      {asked === 'delete' && (
        <Dialog
          title={`Delete ${hook.name}?`}
          onClose={close}
          actions={
            <>
              <Button onClick={close}>Cancel</Button>
              <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
                Delete
              </Button>
            </>
          }
        >
          <p>Nothing is sent any more, and its position and dead letters are forgotten.</p>
        </Dialog>
      )}
      {state === 'disabled' && (
        <Empty icon="pause" title="It is disabled">
          <p>Change it and enable it: it goes on where it stopped.</p>
        </Empty>
      )}
    </div>
  )
}
