import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { forgetUser, waysQuery } from '../api/queries.ts'
import { apiUrl } from '../api/reads.ts'
import { Mark } from '../app/Mark.tsx'
import { Button } from '../ui/Button.tsx'
import { Problems, QueryResult } from '../ui/States.tsx'
import { codeProblem, forgetCodeProblem } from './code.ts'
import { useTitle } from '../ui/useTitle.ts'

const problems: Readonly<Record<string, string>> = {
  provider: 'Your organization’s sign-in did not work. Try again; the log of the catalog says why.',
  late: 'Signing in took too long, or was started in another browser. Try again.',
}

const TokenForm = ({ onDone }: { onDone: () => void }) => {
  const [token, setToken] = useState('')
  const signIn = useMutation({
    mutationFn: () => call('POST', '/v1/session', { body: { token: token.trim() } }),
    onSuccess: () => {
      forgetCodeProblem()
      forgetUser()
      onDone()
    },
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        signIn.mutate()
      }}
    >
      <label className="field">
        <span>Token</span>
        <textarea
          className="mono"
          rows={4}
          required
          autoComplete="off"
          spellCheck={false}
          placeholder="eyJhbGciOi…"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      </label>
      <Problems error={signIn.error} />
      <Button look="primary" type="submit" busy={signIn.isPending} disabled={token.trim() === ''}>
        Sign in
      </Button>
    </form>
  )
}

/** Sign-in: with the organization, with a pasted token, or with the address that the service printed. */
export const SignInPage = () => {
  useTitle('Sign in')
  const search = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const back = search.return ?? '/'
  const problem = (search.problem && problems[search.problem]) ?? codeProblem()
  return (
    <main className="alone sign-in">
      <Mark size={44} />
      <h1>Catalog</h1>
      <p className="lead">What data you have, what it means, who owns it, and what it was at any time in the past.</p>
      <div className="card stack">
        {problem && (
          <p className="notice bad" role="alert">
            {problem}
          </p>
        )}
        <QueryResult query={useQuery(waysQuery)}>
          {({ ways }) => (
            <>
              {ways.includes('oidc') && (
                <>
                  <a
                    className="button primary"
                    href={`${apiUrl('/v1/session/oidc')}?return=${encodeURIComponent(back)}`}
                  >
                    Sign in with your organization
                  </a>
                  <p className="or">or</p>
                </>
              )}
              <TokenForm onDone={() => void navigate({ href: back })} />
              <p className="hint">
                {ways.includes('code') && 'The link that the catalog printed at start signs you in. '}A token comes from{' '}
                <code>npm run catalog -- token --user NAME --role ROLE</code>.
              </p>
            </>
          )}
        </QueryResult>
      </div>
    </main>
  )
}
