import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { call, Problem } from '../api/client.ts'
import { isKind, kindNamed, type Kind } from '../api/kinds.ts'
import { useMay } from '../api/permissions.ts'
import { entityQuery, refresh } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { EditForm } from '../ui/EditForm.tsx'
import { inSentence, phraseOf } from '../ui/format.ts'
import { KindIcon } from '../ui/Icon.tsx'
import { Empty, Problems, QueryResult } from '../ui/States.tsx'
import { toast } from '../ui/toasts.tsx'
import { Fields } from './Fields.tsx'
import { given, isOnTop } from './given.ts'
import { schemasQuery } from './queries.ts'
import { createMembers, type Member } from './schema.ts'
import { bodyOf, otherProblems, problemsAt, textAt, type Value, type Values } from './values.ts'
import { useTitle } from '../ui/useTitle.ts'

/** What the address of a form says: what the new entity stands in, and its name. */
interface CreateSearch {
  readonly name?: string
  readonly inKind?: string
  readonly in?: string
}

interface FormProps {
  readonly kind: Kind
  readonly members: readonly Member[]
  readonly initial: Values
  readonly back: () => void
}

const useCreate = (kind: Kind) => {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async (body: unknown) => (await call<Entity>('POST', `/v1/${kind.path}`, { body })).data,
    onSuccess: async ({ fullyQualifiedName }) => {
      await refresh()
      const params = { kind: kind.name, fqn: fullyQualifiedName }
      await navigate({ to: '/$kind/$fqn', params, ignoreBlocker: true })
      toast('Created')
    },
  })
}

/** Lists open in a tab of their own: the form keeps what was written. */
const Taken = ({ kind, name }: { kind: Kind; name: string }) => {
  const list = { to: '/list/$kind', params: { kind: kind.name }, target: '_blank' } as const
  return (
    <p className="problems" role="alert">
      This name is taken. Look for it{' '}
      <Link {...list} search={{ q: phraseOf(name) }}>
        in the list
      </Link>{' '}
      or{' '}
      <Link {...list} search={{ q: phraseOf(name), deleted: 'true' }}>
        among the deleted ones
      </Link>
      .
    </p>
  )
}

const Form = ({ kind, members, initial, back }: FormProps) => {
  const [values, setValues] = useState(initial)
  const create = useCreate(kind)
  const problems = create.error instanceof Problem ? create.error.errors : []
  const isTaken = create.error instanceof Problem && create.error.code === 'ENTITY_ALREADY_EXISTS'
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (create.error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"], .wrong')?.focus()
  }, [create.error])
  const change = (path: string, value: Value): void => setValues((now) => ({ ...now, [path]: value }))
  const top = members.filter((member) => isOnTop(member, initial))
  const more = members.filter((member) => !isOnTop(member, initial))
  const hidden = more.some(({ path }) => problemsAt(problems, path).length > 0)
  const fields = { values, problems, onChange: change }
  return (
    <EditForm
      ref={form}
      className="form card"
      busy={create.isPending}
      onSave={() => create.mutate(bodyOf(members, values))}
    >
      <Fields members={top} {...fields} />
      {more.length > 0 && (
        <details key={String(hidden)} open={hidden}>
          <summary>More fields</summary>
          <div className="form-more">
            <Fields members={more} {...fields} />
          </div>
        </details>
      )}
      {isTaken ? (
        <Taken kind={kind} name={textAt(values, '/name')} />
      ) : (create.error && problems.length === 0) || otherProblems(problems, members).length > 0 ? (
        <Problems error={create.error} />
      ) : null}
      <div className="row">
        <Button look="primary" type="submit" busy={create.isPending}>
          Create
        </Button>
        <Button onClick={back}>Cancel</Button>
      </div>
    </EditForm>
  )
}

interface AskedProps {
  readonly kind: Kind
  readonly members: readonly Member[]
}

const Alone = ({ kind, members }: AskedProps) => {
  const { name = '' } = useSearch({ strict: false }) as CreateSearch
  const navigate = useNavigate()
  const back = (): void => void navigate({ to: '/list/$kind', params: { kind: kind.name }, ignoreBlocker: true })
  return <Form kind={kind} members={members} initial={{ '/name': name }} back={back} />
}

const Within = ({ kind, members }: AskedProps) => {
  const { inKind = '', in: above = '', name = '' } = useSearch({ strict: false }) as CreateSearch
  const navigate = useNavigate()
  const params = { kind: inKind, fqn: above }
  const back = (): void => void navigate({ to: '/$kind/$fqn', params, ignoreBlocker: true })
  return (
    <QueryResult query={useQuery(entityQuery(inKind, above))} lines={8}>
      {({ entity }) => {
        const initial = { '/name': name, ...given(members, inKind, entity) }
        return <Form kind={kind} members={members} initial={initial} back={back} />
      }}
    </QueryResult>
  )
}

const Asked = ({ kind }: { kind: Kind }) => {
  const { inKind = '', in: above = '' } = useSearch({ strict: false }) as CreateSearch
  const Place = above !== '' && isKind(inKind) ? Within : Alone
  return (
    <QueryResult query={useQuery(schemasQuery(kind.name))} lines={8}>
      {(schemas) => <Place kind={kind} members={createMembers(schemas, kind.name)} />}
    </QueryResult>
  )
}

/** Asks for what a new entity of a kind has, as the API describes it. */
export const CreatePage = () => {
  const { kind: name = '' } = useParams({ strict: false }) as { kind?: string }
  useTitle(isKind(name) ? `New ${inSentence(kindNamed(name).one)}` : 'Page not found')
  const may = useMay('create', name)
  if (!isKind(name)) return <Empty icon="search" title="This kind does not exist" />
  const kind = kindNamed(name)
  return (
    <div className="page create-page">
      <header className="section-head">
        <h1>
          <KindIcon kind={name} size={22} badge /> New {inSentence(kind.one)}
        </h1>
      </header>
      {may ? (
        <Asked kind={kind} />
      ) : (
        <Empty icon="key" title="Your roles do not allow this">
          <p>
            An administrator of the catalog can give you a role that does.{' '}
            <Link to="/list/$kind" params={{ kind: name }}>
              Show the list
            </Link>
          </p>
        </Empty>
      )}
    </div>
  )
}
