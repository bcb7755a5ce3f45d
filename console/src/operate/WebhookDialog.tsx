import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call, Problem, type Answer } from '../api/client.ts'
import { kinds } from '../api/kinds.ts'
import { queryClient } from '../api/queries.ts'
import { Choices } from '../ui/Choices.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ShownOnce } from '../ui/ShownOnce.tsx'
import { toast } from '../ui/toasts.tsx'
import type { Webhook } from './queries.ts'

type Settings = Pick<Webhook, 'name' | 'endpoint' | 'enabled' | 'filter'>

/** Changes what was changed here, as long as nobody else changed the same meanwhile. */
const change = async (start: Webhook, settings: Settings): Promise<Answer<Webhook>> => {
  const changed = (Object.keys(settings) as (keyof Settings)[]).filter(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(start[name]),
  )
  const body = changed.flatMap((name) => [
    { op: 'test', path: `/${name}`, value: start[name] },
    { op: 'replace', path: `/${name}`, value: settings[name] },
  ])
  const contentType = 'application/json-patch+json'
  return call<Webhook>('PATCH', `/v1/webhooks/${start.id}`, { body, contentType }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'CONFLICT') throw error
    throw new Error('Somebody else changed this too, after you opened it. Close this and open it again to see what.')
  })
}

/** Makes a webhook, or changes one. */
export const WebhookDialog = ({ webhook, onClose }: { webhook?: Webhook; onClose: () => void }) => {
  const [start] = useState(webhook)
  const [name, setName] = useState(start?.name ?? '')
  const [endpoint, setEndpoint] = useState(start?.endpoint ?? '')
  const [chosen, setChosen] = useState<readonly string[]>(start?.filter.kinds ?? [])
  const [enabled, setEnabled] = useState(start?.enabled ?? true)
  const save = useMutation({
    mutationFn: async () => {
      const { kinds: _, ...rest } = start?.filter ?? {}
      const body = { name, endpoint, enabled, filter: { ...rest, ...(chosen.length > 0 && { kinds: chosen }) } }
      const { data } = await (start ? change(start, body) : call<Webhook>('POST', '/v1/webhooks', { body }))
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] })
      return data
    },
    onSuccess: () => {
      if (webhook === undefined) return
      toast('Saved')
      onClose()
    },
  })
  if (webhook === undefined && save.data) {
    const about = 'The receiver checks the signature of each delivery with it.'
    return <ShownOnce title="Keep this secret" about={about} secret={save.data.secret} onClose={onClose} />
  }
  return (
    <Dialog
      title={webhook ? `Change ${webhook.name}` : 'New webhook'}
      onClose={onClose}
      action={{ words: webhook ? 'Save' : 'Create', by: save, labels: { filter: 'Kinds' } }}
    >
      <label className="field">
        <span>Name</span>
        <input value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <label className="field">
        <span>Endpoint</span>
        <input
          type="url"
          placeholder="https://example.com/in"
          value={endpoint}
          onChange={(event) => setEndpoint(event.target.value)}
        />
      </label>
      <Choices
        legend={<>Kinds {chosen.length === 0 && <span className="hint">none selected: all are sent</span>}</>}
        all={kinds.map(({ name: kind, many }) => [kind, many] as const)}
        chosen={chosen}
        onChange={setChosen}
      />
      <label className="check">
        <input type="checkbox" checked={enabled} onChange={(event) => setEnabled(event.target.checked)} />
        Enabled
      </label>
    </Dialog>
  )
}
