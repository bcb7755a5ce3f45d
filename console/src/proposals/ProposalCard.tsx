import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../api/permissions.ts'
import { entityQuery } from '../api/queries.ts'
import { Changes } from '../time/Changes.tsx'
import { changesBetween } from '../time/changes.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { inList, wordsOf } from '../ui/format.ts'
import { Problems, QueryResult } from '../ui/States.tsx'
import { Ago } from '../ui/Time.tsx'
import { toast } from '../ui/toasts.tsx'
import { AmendDialog } from './AmendDialog.tsx'
import { decide, membersOf, proposedPatch, type Proposal } from './queries.ts'

/** What it would change, or what it was to change when it was made. */
const Difference = ({ proposal }: { proposal: Proposal }) => {
  const { entity, status, createdAt } = proposal
  const asOf = status === 'open' ? undefined : new Date(createdAt).toISOString()
  const after = Object.fromEntries(Object.entries(proposedPatch(proposal)).filter(isThere))
  return (
    <QueryResult query={useQuery(entityQuery(entity.type, entity.fullyQualifiedName, asOf))}>
      {(loaded) => (
        <Changes
          changes={changesBetween(membersOf(loaded.entity, proposal), after)}
          none="Nothing to change: the entity already has these values."
        />
      )}
    </QueryResult>
  )
}

const isThere = ([, value]: [string, unknown]): boolean => value !== null

const looks = { open: '', accepted: 'good', refused: 'bad', withdrawn: '' } as const

const Outcome = ({ proposal: { status, decidedBy, amended, updatedAt, reason } }: { proposal: Proposal }) =>
  status === 'open' ? null : (
    <p>
      {wordsOf(status)} {amended === true && 'with changes '}
      by <strong>{decidedBy}</strong> <Ago time={updatedAt} />
      {reason !== undefined && `: “${reason}”`}
    </p>
  )

/** What a dialog asks about a proposal. It has it as it was, whatever becomes of it meanwhile. */
export interface Asking {
  readonly proposal: Proposal
  readonly verb: 'amend' | 'refuse' | 'withdraw'
}

interface AskingProps extends Asking {
  readonly onClose: () => void
}

const ClosingDialog = ({ proposal, verb, onClose }: AskingProps & { verb: 'refuse' | 'withdraw' }) => {
  const [reason, setReason] = useState('')
  const close = useMutation({
    mutationFn: () => decide(proposal, verb, reason.trim() === '' ? {} : { reason }),
    onSuccess: () => {
      toast(verb === 'refuse' ? 'Refused' : 'Withdrawn')
      onClose()
    },
  })
  return (
    <Dialog
      title={verb === 'refuse' ? 'Refuse this proposal' : 'Withdraw this proposal'}
      onClose={onClose}
      action={{ words: wordsOf(verb), by: close, look: 'danger' }}
    >
      <label className="field">
        <span>Why (optional)</span>
        <textarea autoFocus rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
    </Dialog>
  )
}

export const AskingDialog = ({ proposal, verb, onClose }: AskingProps) =>
  verb === 'amend' ? (
    <AmendDialog proposal={proposal} onClose={onClose} />
  ) : (
    <ClosingDialog proposal={proposal} verb={verb} onClose={onClose} />
  )

interface DecisionProps {
  readonly proposal: Proposal
  readonly onAsk: (asking: Asking) => void
}

/** What one may do with an open proposal. */
const Decision = ({ proposal, onAsk }: DecisionProps) => {
  const me = useMe()
  const accept = useMutation({
    mutationFn: () => decide(proposal, 'accept', {}),
    onSuccess: () => toast('Accepted'),
  })
  const ask = (verb: Asking['verb']): void => onAsk({ proposal, verb })
  if (proposal.status !== 'open') return null
  return (
    <>
      <Problems error={accept.error} />
      <div className="row">
        {proposal.mayDecide && (
          <>
            <Button look="primary" icon="check" busy={accept.isPending} onClick={() => accept.mutate()}>
              Accept
            </Button>
            <Button icon="pencil" onClick={() => ask('amend')}>
              Amend …
            </Button>
            <Button onClick={() => ask('refuse')}>Refuse …</Button>
          </>
        )}
        {proposal.proposer === me?.name && <Button onClick={() => ask('withdraw')}>Withdraw …</Button>}
      </div>
    </>
  )
}

/** One proposal: who, why, the difference, and what one may do about it. */
export const ProposalCard = ({ proposal, named = false, onAsk }: DecisionProps & { named?: boolean }) => {
  const { entity, proposer, status, comment, createdAt, members } = proposal
  const what = inList(members.map((member) => wordsOf(member).toLowerCase()))
  return (
    <li className="proposal card" aria-label={`${what} of ${entity.name}, proposed by ${proposer}`}>
      <div className="section-head">
        <h2>{named ? <EntityLink reference={entity} full /> : wordsOf(what)}</h2>
        <span className={`badge ${looks[status]}`}>{status}</span>
      </div>
      <p>
        <strong>{proposer}</strong> proposed {what} <Ago time={createdAt} />
      </p>
      {comment !== undefined && <blockquote>{comment}</blockquote>}
      <Difference proposal={proposal} />
      <Outcome proposal={proposal} />
      <Decision proposal={proposal} onAsk={onAsk} />
    </li>
  )
}
