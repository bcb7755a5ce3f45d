import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'
import { typedJson } from '../api/typedJson.ts'
import { Button } from '../ui/Button.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { formatTime } from '../ui/format.ts'
import { ShownOnce } from '../ui/ShownOnce.tsx'
import { Empty, QueryResult } from '../ui/States.tsx'
import { Ago } from '../ui/Time.tsx'
import { toast } from '../ui/toasts.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { tokensQuery, type Token } from './queries.ts'

const again = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['tokens'] })

/** Roles that every catalog has. */
const usual = ['Ingestion', 'DataConsumer', 'Subscriber', 'Auditor', 'DataSteward', 'Admin']

const NewToken = ({ onClose }: { onClose: () => void }) => {
  const [name, setName] = useState('')
  const [roles, setRoles] = useState('Ingestion')
  const [days, setDays] = useState('365')
  const make = useMutation({
    mutationFn: async () => {
      const list = roles.split(',').flatMap((role) => role.trim() || [])
      const body = { name, roles: list, days: typedJson(days) }
      return (await call<{ token: string }>('POST', '/v1/tokens', { body })).data.token
    },
    onSuccess: again,
  })
  if (make.data !== undefined) {
    const about = 'The program sends it with each request, as Authorization: Bearer.'
    return <ShownOnce title={`The token of ${name}`} about={about} secret={make.data} onClose={onClose} />
  }
  return (
    <Dialog title="New token" onClose={onClose} action={{ words: 'Create', by: make }}>
      <label className="field">
        <span>Name of the program</span>
        <input autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <label className="field">
        <span>Roles, separated by commas</span>
        <input list="usual-roles" value={roles} onChange={(event) => setRoles(event.target.value)} />
      </label>
      <datalist id="usual-roles">
        {usual.map((role) => (
          <option key={role} value={role} />
        ))}
      </datalist>
      <label className="field">
        <span>Days until it expires</span>
        <input inputMode="numeric" value={days} onChange={(event) => setDays(event.target.value)} />
      </label>
    </Dialog>
  )
}

const Row = ({ token, onRevoke }: { token: Token; onRevoke: () => void }) => (
  <tr>
    <th scope="row">
      <EntityLink
        reference={{ id: token.name, type: 'user', name: token.name, fullyQualifiedName: token.fullyQualifiedName }}
      />
    </th>
    <td>{token.roles.join(', ')}</td>
    <td>{formatTime(token.expiresAt)}</td>
    <td>
      <Ago time={token.createdAt} /> by {token.createdBy}
    </td>
    <td>
      <Button look="quiet" label={`Revoke the token of ${token.name}`} onClick={onRevoke}>
        Revoke
      </Button>
    </td>
  </tr>
)

const Revoke = ({ name, onClose }: { name: string; onClose: () => void }) => {
  const revoke = useMutation({
    mutationFn: () => call('DELETE', `/v1/tokens/${encodeURIComponent(name)}`),
    onSuccess: async () => {
      await again()
      onClose()
      toast('Revoked')
    },
  })
  return (
    <Dialog
      title={`Revoke the token of ${name}?`}
      onClose={onClose}
      action={{ words: 'Revoke', by: revoke, look: 'danger' }}
    >
      <p>Its next request will be refused. The history keeps what the program did.</p>
    </Dialog>
  )
}

/** Tokens of programs: who has one, and the means to take it away. */
export const Tokens = () => {
  const tokens = useQuery(tokensQuery)
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<string>()
  return (
    <section aria-label="Tokens of programs">
      <div className="section-head">
        <h2>Tokens of programs</h2>
        <Button icon="plus" onClick={() => setCreating(true)}>
          New token
        </Button>
      </div>
      <QueryResult query={tokens}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon="key" title="No program has a token">
              <p>A program signs in with a named token until the token expires or you revoke it.</p>
            </Empty>
          ) : (
            <DataTable label="Tokens of programs" heads={['Program', 'Roles', 'Expires', 'Created', 'Actions']}>
              {all.map((token) => (
                <Row key={token.id} token={token} onRevoke={() => setRevoking(token.name)} />
              ))}
            </DataTable>
          )
        }
      </QueryResult>
      {creating && <NewToken onClose={() => setCreating(false)} />}
      {revoking !== undefined && <Revoke name={revoking} onClose={() => setRevoking(undefined)} />}
    </section>
  )
}
