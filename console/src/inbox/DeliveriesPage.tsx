import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'
import { Button } from '../ui/Button.tsx'
import { Choices } from '../ui/Choices.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { formatClock, formatNumber } from '../ui/format.ts'
import { ShownOnce } from '../ui/ShownOnce.tsx'
import { QueryResult } from '../ui/States.tsx'
import { Ago } from '../ui/Time.tsx'
import { toast } from '../ui/toasts.tsx'
import { deliveriesQuery, reasons, type Delivery, type InboxEntry } from './queries.ts'
import { useTitle } from '../ui/useTitle.ts'

const channels = { email: 'E-mail', slack: 'Slack', teams: 'Microsoft Teams', webhook: 'Webhook' } as const

type Channel = keyof typeof channels

/** When the service sends what it sends once a day; the reader sees his own time. */
const dailyAt = new Date().setUTCHours(7, 0, 0, 0)

const again = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['deliveries'] })

const labels = { endpoint: 'URL', concerns: 'What' }

const allReasons = Object.entries(reasons) as [InboxEntry['concern'], string][]

/** How one channel tells me what is new: set up, or changed. */
const Setting = ({
  channel,
  delivery,
  onClose,
}: {
  channel: Channel
  delivery: Delivery | undefined
  onClose: () => void
}) => {
  const [endpoint, setEndpoint] = useState(delivery?.endpoint ?? '')
  const [when, setWhen] = useState(delivery?.when ?? 'atOnce')
  const [concerns, setConcerns] = useState(delivery?.concerns ?? allReasons.map(([concern]) => concern))
  const [enabled, setEnabled] = useState(delivery?.enabled ?? true)
  const save = useMutation({
    mutationFn: async () => {
      const body = { when, concerns, enabled, ...(endpoint !== '' && { endpoint }) }
      const { data } = await call<Delivery>('PUT', `/v1/inbox/deliveries/${channel}`, { body })
      await again()
      return data
    },
    onSuccess: ({ secret }) => {
      if (secret !== undefined) return
      toast('Saved')
      onClose()
    },
  })
  const secret = save.data?.secret
  if (secret !== undefined) {
    const about = 'The receiver checks the signature of each delivery with it.'
    return <ShownOnce title="Keep this secret" about={about} secret={secret} onClose={onClose} />
  }
  return (
    <Dialog
      title={channels[channel]}
      onClose={onClose}
      action={{ words: 'Save', by: save, labels: { ...labels, channel: channels[channel] } }}
    >
      {channel === 'email' ? (
        <p className="hint">Mail goes to the address of your user.</p>
      ) : (
        <label className="field">
          <span>URL</span>
          <input type="url" value={endpoint} onChange={(event) => setEndpoint(event.target.value)} />
        </label>
      )}
      <label className="field">
        <span>When</span>
        <select value={when} onChange={(event) => setWhen(event.target.value as Delivery['when'])}>
          <option value="atOnce">Immediately</option>
          <option value="daily">Once a day, after {formatClock(dailyAt)}</option>
        </select>
      </label>
      <Choices legend="What" all={allReasons} chosen={concerns} onChange={setConcerns} />
      <label className="check">
        <input type="checkbox" checked={enabled} onChange={(event) => setEnabled(event.target.checked)} />
        Enabled
      </label>
    </Dialog>
  )
}

/** Asks before a channel is deleted. */
const Stop = ({ channel, onClose }: { channel: Channel; onClose: () => void }) => {
  const end = useMutation({
    mutationFn: () => call('DELETE', `/v1/inbox/deliveries/${channel}`),
    onSuccess: async () => {
      await again()
      onClose()
      toast('Notifications stopped')
    },
  })
  return (
    <Dialog title={`Stop ${channels[channel]}?`} onClose={onClose} action={{ words: 'Stop', by: end, look: 'danger' }}>
      <p>Its settings and what was not delivered are deleted. To pause it, change it and untick “Enabled”.</p>
    </Dialog>
  )
}

const states = { disabled: 'Off', failing: 'Failing', delivering: 'Sending', upToDate: 'Up to date' } as const

const Status = ({ status }: Pick<Delivery, 'status'>) => (
  <>
    <span className={status.state === 'failing' ? 'badge bad' : 'badge'}>{states[status.state]}</span>
    {status.deadLetters > 0 && <p className="hint">{formatNumber(status.deadLetters)} not delivered</p>}
    {status.state === 'failing' && status.lastError && <p className="hint">{status.lastError.message}</p>}
    {status.lastSuccess && (
      <p className="hint">
        last sent <Ago time={status.lastSuccess.time} />
      </p>
    )}
  </>
)

/** How I am told what is new in my inbox, and how that goes. */
export const DeliveriesPage = () => {
  useTitle('Notifications')
  const deliveries = useQuery(deliveriesQuery)
  const [setting, setSetting] = useState<Channel>()
  const [stopping, setStopping] = useState<Channel>()
  const found = (channel: Channel) => deliveries.data?.data.find((one) => one.channel === channel)
  return (
    <div className="page history">
      <h1>Notifications</h1>
      <QueryResult query={deliveries}>
        {(data) => (
          <DataTable label="Channels" heads={['Channel', 'When', 'What', 'Status', '']}>
            {(Object.keys(channels) as Channel[]).map((channel) => {
              const one = found(channel)
              const name = channels[channel]
              return (
                <tr key={channel}>
                  <th scope="row">{name}</th>
                  <td>{one && (one.when === 'daily' ? `Once a day, after ${formatClock(dailyAt)}` : 'Immediately')}</td>
                  <td>{one?.concerns.map((concern) => reasons[concern]).join(', ')}</td>
                  <td>
                    {one && <Status status={one.status} />}
                    {channel === 'email' && !data.mail && <span className="hint">Not set up on this server</span>}
                  </td>
                  <td>
                    {(channel !== 'email' || data.mail) && (
                      <Button label={`${one ? 'Change' : 'Set up'} ${name}`} onClick={() => setSetting(channel)}>
                        {one ? 'Change' : 'Set up'}
                      </Button>
                    )}
                    {one && (
                      <Button look="quiet" label={`Stop ${name}`} onClick={() => setStopping(channel)}>
                        Stop
                      </Button>
                    )}
                  </td>
                </tr>
              )
            })}
          </DataTable>
        )}
      </QueryResult>
      {stopping && <Stop channel={stopping} onClose={() => setStopping(undefined)} />}
      {setting && <Setting channel={setting} delivery={found(setting)} onClose={() => setSetting(undefined)} />}
    </div>
  )
}
