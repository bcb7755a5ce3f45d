import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { kinds } from '../api/kinds.ts'
import { queryClient } from '../api/queries.ts'
import { Button } from '../ui/Button.tsx'
import { Choices } from '../ui/Choices.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ShownOnce } from '../ui/ShownOnce.tsx'
import { Problems } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import type { Webhook } from './queries.ts'

/** Makes a webhook, or changes one. */
export const WebhookDialog = ({ webhook, onClose }: { webhook?: Webhook; onClose: () => void }) => {
  const [name, setName] = useState(webhook?.name ?? '')
  const [endpoint, setEndpoint] = useState(webhook?.endpoint ?? '')
  const [chosen, setChosen] = useState<readonly string[]>(webhook?.filter.kinds ?? [])
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true)
  const save = useMutation({
    mutationFn: async () => {
      const filter = { ...webhook?.filter, kinds: chosen.length === 0 ? undefined : chosen }
      const body = { name, endpoint, enabled, filter, ...(webhook && { secret: webhook.secret }) }
      const { data } = await call<Webhook>(webhook ? 'PUT' : 'POST', `/v1/webhooks${webhook ? `/${webhook.id}` : ''}`, {
        body,
      })
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
      busy={save.isPending}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={save.isPending} onClick={() => save.mutate()}>
            {webhook ? 'Save' : 'Create'}
          </Button>
        </>
      }
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
      <Problems error={save.error} />
    </Dialog>
  )
}
