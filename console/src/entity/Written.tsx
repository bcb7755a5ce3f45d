import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { entityQuery, provenanceQuery } from '../api/queries.ts'
import { RequestLink } from '../requests/RequestLink.tsx'
import { Button } from '../ui/Button.tsx'
import { Ago } from '../ui/Time.tsx'
import { Retry } from '../ui/States.tsx'
import { useShown } from './context.ts'

/** Whether the page shows who wrote each value, and what turns that on and off. */
export const useAuthors = (kind: string, id: string, asOf: string | undefined) => {
  const [on, setOn] = useState(false)
  const { data, error, refetch } = useQuery({ ...provenanceQuery(kind, id, asOf), enabled: on })
  const retry = (): void => void refetch()
  return { on, turn: () => setOn(!on), of: on ? data : undefined, error: on ? error : null, retry }
}

/** Shows who wrote each value, or no more. */
export const AuthorsSwitch = () => {
  const { authors } = useShown()
  return (
    <>
      <Button look="quiet" icon="user" aria-pressed={authors.on} onClick={authors.turn}>
        Who wrote what
      </Button>
      {authors.error && <Retry words="Who wrote what is not known." error={authors.error} retry={authors.retry} />}
    </>
  )
}

const Name = ({ user }: { user: string }) => {
  const { data } = useQuery({ ...entityQuery('user', user), retry: false })
  return (
    <>
      {data?.entity.displayName ?? user}
      {data?.entity['isBot'] === true && ' (a program)'}
    </>
  )
}

/** Who wrote or cleared the value of a member, when and with which request; path as `columns.id.description`. */
export const Written = ({ path }: { path: string }) => {
  const author = useShown().authors.of?.[path]
  if (author === undefined) return null
  return (
    <p className="hint written">
      {author.cleared && 'Cleared by '}
      <Name user={author.user} /> <Ago time={author.time} />, <RequestLink correlationId={author.correlationId} />
    </p>
  )
}
