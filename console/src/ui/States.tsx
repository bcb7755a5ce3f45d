import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, type ReactNode } from 'react'
import { Problem } from '../api/client.ts'
import { basePath } from '../api/reads.ts'
import { mustRespond, readinessQuery } from '../api/readiness.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import { formatNumber, wordsOf } from './format.ts'
import type { IconName } from './icons.ts'
import { messageOf, toastError } from './toasts.tsx'

interface EmptyProps {
  readonly icon?: IconName
  readonly title: string
  /** What to do next. */
  readonly children?: ReactNode
}

export const Empty = ({ icon = 'box', title, children }: EmptyProps) => (
  <div className="state">
    <span className="state-icon">
      <Icon name={icon} size={26} />
    </span>
    <h2>{title}</h2>
    {children && <div className="state-text">{children}</div>}
  </div>
)

const titles: Readonly<Record<number, string>> = {
  0: 'The catalog is not responding',
  401: 'You are signed out',
  403: 'Your roles do not allow this',
  404: 'There is nothing here',
  503: 'The catalog is not ready',
}

/** How far the service has come that does not serve yet; goes on by itself when it begins to. */
const Starting = ({ onReady }: { onReady: () => void }) => {
  const { data } = useQuery({ ...readinessQuery, refetchInterval: 1_000 })
  const { position, head } = data?.dependencies['projections'] ?? {}
  const ready = data?.status === 'ready'
  const was = useRef(ready)
  useEffect(() => {
    // What failed although the service was ready already would fail again, and never be told.
    if (ready && !was.current) onReady()
    was.current = ready
  }, [ready, onReady])
  if (position === undefined || head === undefined) return null
  return (
    <label className="starting">
      The read models have {formatNumber(Number(position))} of {formatNumber(Number(head))} events
      <progress max={Number(head)} value={Number(position)} />
    </label>
  )
}

/** What went wrong, beside what is there still: signing in must not lead away from it. */
const Message = ({ error }: { error: unknown }) => (
  <>
    {messageOf(error)}{' '}
    {error instanceof Problem && error.status === 401 && (
      <a href={`${basePath}/sign-in`} target="_blank">
        Sign in in another tab
      </a>
    )}
  </>
)

interface FailureProps {
  readonly error: unknown
  readonly retry: () => void
  /** Other ways to go on. */
  readonly children?: ReactNode
}

/** What went wrong, in the service's words, and how to go on. */
const Failure = ({ error, retry, children }: FailureProps) => {
  const problem = error instanceof Problem ? error : undefined
  return (
    <div className="state" role="alert">
      <span className="state-icon bad">
        <Icon name="warning" size={26} />
      </span>
      <h2>{titles[problem?.status ?? -1] ?? 'That did not work'}</h2>
      <div className="state-text">
        <p>
          {problem?.status === 401 ? 'Your session has ended. Signing in leads back to this page.' : messageOf(error)}
        </p>
        {problem?.status === 403 && <p>An administrator of the catalog can give you a role that does.</p>}
        {problem?.instance && problem.status >= 500 && problem.status !== 503 && (
          <p>
            The server log has it under <code>{problem.instance}</code>.
          </p>
        )}
      </div>
      {problem?.status === 503 && <Starting onReady={retry} />}
      {problem?.status === 401 && (
        <Button look="primary" onClick={() => location.reload()}>
          Sign in
        </Button>
      )}
      {![401, 403].includes(problem?.status ?? -1) && <Button onClick={retry}>Try again</Button>}
      {children}
    </div>
  )
}

/** Loads the page anew, its program included: what has failed once fails again when it is only rendered. */
const loadAgain = (): void => void mustRespond().then(() => location.reload(), toastError)

/** A page, or a part of it, that cannot be shown. */
export const Broken = ({ error }: { error: unknown }) => <Failure error={error} retry={loadAgain} />

/** Grey lines where something is on its way; they come late, so that quick answers do not flicker. */
export const Skeleton = ({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }) => (
  <div className="skeleton" role="status" aria-label={label}>
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} className={`bone bone-${(line * 7) % 4}`} />
    ))}
  </div>
)

interface RetryProps {
  /** What could not be done. */
  readonly words: string
  readonly error: unknown
  readonly retry: () => void
}

/** Says beside what is there that something about it could not be asked for. */
export const Retry = ({ words, error, retry }: RetryProps) => (
  <div className="notice bad row" role="alert">
    <p>
      {words} <Message error={error} />
    </p>
    <Button onClick={retry}>Try again</Button>
  </div>
)

interface QueryResultProps<T> {
  readonly query: {
    readonly data: T | undefined
    readonly error: unknown
    readonly refetch: () => unknown
    /** The end of the list says so. */
    readonly isFetchNextPageError?: boolean
  }
  /** How many grey lines stand for it while it is on its way. */
  readonly lines?: number
  /** Other ways to go on when there is nothing to show. */
  readonly ways?: ReactNode
  readonly children: (data: T) => ReactNode
}

/**
 * What a query answered. A failure takes its place only where there is no answer: what has been there stays, also when it
 * cannot be asked for again, since somebody may be writing in it.
 */
export const QueryResult = <T,>({ query, lines, ways, children }: QueryResultProps<T>) => {
  const { data, error } = query
  const retry = (): void => void query.refetch()
  if (data === undefined) {
    return error === null ? (
      <Skeleton {...(lines !== undefined && { lines })} />
    ) : (
      <Failure error={error} retry={retry}>
        {ways}
      </Failure>
    )
  }
  return (
    <>
      {error !== null && query.isFetchNextPageError !== true && (
        <Retry words="What you see may be out of date." error={error} retry={retry} />
      )}
      {children(data)}
    </>
  )
}

/** What the fields of a form are called, by their names in the API. */
export type Labels = Readonly<Record<string, string>>

/** `/filter/kinds/0` → "Filter, kinds, 1"; what is not a place in the body stays as it is. */
const placeWords = (path: string, labels: Labels): string => {
  const [start, ...parts] = path.split('/')
  if (start !== '' || parts.length === 0) return path
  const words = parts.map(
    (part) => labels[part] ?? (/^\d+$/.test(part) ? formatNumber(Number(part) + 1) : wordsOf(part)),
  )
  return words.join(', ')
}

/** A list of what is wrong with what was sent, below the form that sent it. */
export const Problems = ({ error, labels = {} }: { error: unknown; labels?: Labels | undefined }) => {
  if (error === null || error === undefined) return null
  const problem = error instanceof Problem ? error : undefined
  const errors = problem?.errors ?? []
  return (
    <div className="problems notice bad" role="alert">
      {errors.length === 0 ? (
        <p>
          <Message error={error} />
        </p>
      ) : (
        <ul>
          {errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <strong>{placeWords(path, labels)}</strong>} {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
