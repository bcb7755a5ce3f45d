import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { childrenOf, kindNamed, social } from '../api/kinds.ts'
import { mayDo, useMay, useMe } from '../api/permissions.ts'
import { queryClient, refresh } from '../api/queries.ts'
import { apiUrl, idPath } from '../api/reads.ts'
import { Button } from '../ui/Button.tsx'
import { formatNumber, inSentence, phraseOf } from '../ui/format.ts'
import { Popover } from '../ui/Popover.tsx'
import { toast, toastError } from '../ui/toasts.tsx'
import { belowWords, countsBelow } from './below.ts'
import { useShown } from './context.ts'
import { copy } from '../ui/copy.ts'
import { DeleteDialog } from './DeleteDialog.tsx'

const useAct = (what: string, act: () => Promise<unknown>) =>
  useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await refresh()
      toast(what)
    },
    onError: toastError,
  })

const Follow = () => {
  const { kind, loaded } = useShown()
  const me = useMe()
  const { id, followers = [] } = loaded.entity
  const following = me !== undefined && followers.some((follower) => follower.id === me.id)
  const path = `${idPath(kind.name, id)}/followers`
  const act = useAct(following ? 'You no longer follow it' : 'You follow it', async () => {
    if (me === undefined) return
    await (following ? call('DELETE', `${path}/${me.id}`) : call('PUT', path, { body: JSON.stringify(me.id) }))
    await queryClient.invalidateQueries({ queryKey: ['me'] })
  })
  return (
    <Button
      icon="star"
      className={following ? 'on' : ''}
      aria-pressed={following}
      busy={act.isPending}
      onClick={() => act.mutate()}
    >
      {following ? 'Following' : 'Follow'} <span className="count">{formatNumber(followers.length)}</span>
    </Button>
  )
}

const Vote = () => {
  const { kind, loaded } = useShown()
  const me = useMe()
  const { id, votes } = loaded.entity
  const mine = (voters: readonly { readonly name: string }[] = []): boolean =>
    voters.some(({ name }) => name === me?.name)
  const [up, down] = [mine(votes?.upVoters), mine(votes?.downVoters)]
  const vote = useMutation({
    mutationFn: (updatedVoteType: string) =>
      call('PUT', `${idPath(kind.name, id)}/vote`, { body: { updatedVoteType } }),
    onSuccess: refresh,
    onError: toastError,
  })
  return (
    <div className="vote" role="group" aria-label="Vote">
      <Button
        icon="up"
        aria-pressed={up}
        className={up ? 'on' : ''}
        label={`Vote for it; ${votes?.upVotes ?? 0} do`}
        onClick={() => vote.mutate(up ? 'unVoted' : 'votedUp')}
      >
        {formatNumber(votes?.upVotes ?? 0)}
      </Button>
      <Button
        icon="down"
        aria-pressed={down}
        className={down ? 'on' : ''}
        label={`Vote against it; ${votes?.downVotes ?? 0} do`}
        onClick={() => vote.mutate(down ? 'unVoted' : 'votedDown')}
      >
        {formatNumber(votes?.downVotes ?? 0)}
      </Button>
    </div>
  )
}

/** An owner says that it is right as it stands, and by when somebody is to say so again. */
const Confirm = () => {
  const { kind, loaded } = useShown()
  const [confirmBy, setConfirmBy] = useState('')
  const act = useAct('Confirmed', () =>
    call('PUT', `${idPath(kind.name, loaded.entity.id)}/confirm`, { body: confirmBy === '' ? {} : { confirmBy } }),
  )
  return (
    <Popover label="Confirm" icon="check" face="Confirm" look="plain">
      {(close) => (
        <form
          className="editor"
          onSubmit={(event) => {
            event.preventDefault()
            act.mutate(undefined, { onSuccess: close })
          }}
        >
          <p>You confirm that it is still right.</p>
          <label>
            Again by <input type="date" value={confirmBy} onChange={(event) => setConfirmBy(event.target.value)} />
          </label>
          <Button type="submit" look="primary" busy={act.isPending}>
            Confirm
          </Button>
        </form>
      )}
    </Popover>
  )
}

const More = ({ onDelete }: { onDelete: () => void }) => {
  const { kind, loaded } = useShown()
  const { entity } = loaded
  const mayDelete = useMay('delete', kind.name, entity)
  const mayHard = useMay('hardDelete', kind.name, entity)
  const mayManage = useMay('manage')
  const endSessions = useAct('All sessions have ended', () =>
    call('DELETE', `/v1/sessions/${encodeURIComponent(entity.name)}`),
  )
  const navigate = useNavigate()
  const me = useMe()
  const below = entity.deleted ? [] : childrenOf(kind).filter((child) => mayDo(me, 'create', child))
  return (
    <Popover label="More" icon="more" look="plain">
      {(close) => (
        <ul className="menu">
          <li>
            <button
              type="button"
              onClick={() => {
                close()
                copy(location.href, 'Link')
              }}
            >
              Copy the link
            </button>
          </li>
          {below.map((child) => (
            <li key={child}>
              <Link
                to="/new/$kind"
                params={{ kind: child }}
                search={{ inKind: kind.name, in: entity.fullyQualifiedName }}
              >
                New {inSentence(kindNamed(child).one)} here …
              </Link>
            </li>
          ))}
          <li>
            <button
              type="button"
              onClick={() => {
                close()
                void navigate({ to: '/search', search: { q: phraseOf(entity.name) } })
              }}
            >
              Find mentions
            </button>
          </li>
          <li>
            <a href={apiUrl(idPath(kind.name, entity.id))} target="_blank" rel="noreferrer">
              Show as JSON
            </a>
          </li>
          {kind.name === 'user' && mayManage && (
            <li>
              <button
                type="button"
                onClick={() => {
                  close()
                  endSessions.mutate()
                }}
              >
                End all sessions
              </button>
            </li>
          )}
          {(mayDelete || mayHard) && (
            <li>
              <button
                type="button"
                className="danger"
                onClick={() => {
                  close()
                  onDelete()
                }}
              >
                Delete …
              </button>
            </li>
          )}
        </ul>
      )}
    </Popover>
  )
}

const Restore = () => {
  const { kind, loaded } = useShown()
  const may = useMay('restore', kind.name, loaded.entity)
  const me = useMe()
  const { id, fullyQualifiedName } = loaded.entity
  const act = useMutation({
    mutationFn: () => call('PUT', `/v1/${kind.path}/restore`, { body: { id }, ifMatch: loaded.etag }),
    onSuccess: async () => {
      // Below something deleted nothing is live: what is there now came back with it.
      const asked = countsBelow(me, kind, fullyQualifiedName).map(({ queryFn }) => queryFn())
      const [below] = await Promise.all([Promise.allSettled(asked), refresh()])
      // What could not be counted came back, too.
      const counted = below.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      const back = counted.filter(({ count }) => count > 0).map(belowWords)
      toast(back.length === 0 ? 'Restored' : `Restored, and with it ${back.join(', ')}`)
    },
    onError: toastError,
  })
  if (!may) return null
  return (
    <>
      <p className="hint">Everything deleted together with it is restored as well.</p>
      <Button look="primary" icon="restore" busy={act.isPending} onClick={() => act.mutate()}>
        Restore
      </Button>
    </>
  )
}

/** What one can do with the entity as a whole; what one may not do is not there. */
export const Actions = () => {
  const { kind, loaded, asOf } = useShown()
  const { entity } = loaded
  const mayFollow = useMay('follow', kind.name)
  const mayVote = useMay('vote', kind.name)
  const mayConfirm = useMay('approve', kind.name, entity) && entity['confirmBy'] !== undefined && !entity.deleted
  const isSocial = social.has(kind.name) && !entity.deleted
  const [deleting, setDeleting] = useState(false)
  if (asOf !== undefined) return null
  return (
    <div className="actions">
      {entity.deleted && <Restore />}
      {mayConfirm && <Confirm />}
      {isSocial && mayVote && <Vote />}
      {isSocial && mayFollow && <Follow />}
      <More onDelete={() => setDeleting(true)} />
      {deleting && <DeleteDialog onClose={() => setDeleting(false)} />}
    </div>
  )
}
