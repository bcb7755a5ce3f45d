import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { forgetUser } from '../api/queries.ts'
import type { Me } from '../api/types.ts'
import { apiUrl } from '../api/reads.ts'
import { Button } from '../ui/Button.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { Popover } from '../ui/Popover.tsx'
import { formatTime } from '../ui/format.ts'
import { toastError } from '../ui/toasts.tsx'
import { chooseTheme, theme, type Theme } from './theme.ts'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

const ThemeChoice = () => {
  const [chosen, setChosen] = useState(theme)
  return (
    <fieldset className="segments">
      <legend className="hint">Appearance</legend>
      {themes.map(([value, name]) => (
        <label key={value} className={chosen === value ? 'segment on' : 'segment'}>
          <input
            type="radio"
            name="theme"
            value={value}
            checked={chosen === value}
            onChange={() => {
              chooseTheme(value)
              setChosen(value)
            }}
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}

/** Who is signed in, how it looks, and the way out. */
export const UserMenu = ({ me }: { me: Me }) => {
  const navigate = useNavigate()
  const signOut = useMutation({
    mutationFn: (path: '/v1/session' | '/v1/sessions') => call('DELETE', path),
    onSuccess: () => {
      forgetUser()
      return navigate({ to: '/sign-in' })
    },
    onError: toastError,
  })
  return (
    <Popover label="You" face={<Avatar name={me.user?.displayName ?? me.name} />}>
      {() => (
        <div className="stack user-menu">
          <div>
            <strong>{me.user?.displayName ?? me.name}</strong>
            <p className="hint">{me.roles.join(', ')}</p>
            {me.until && <p className="hint">Signed in until {formatTime(me.until)}</p>}
          </div>
          {me.user && <EntityLink reference={me.user}>My page</EntityLink>}
          <ThemeChoice />
          <a className="menu-link" href={apiUrl('/docs')}>
            API reference
          </a>
          <Button icon="out" busy={signOut.isPending} onClick={() => signOut.mutate('/v1/session')}>
            Sign out
          </Button>
          <Button busy={signOut.isPending} onClick={() => signOut.mutate('/v1/sessions')}>
            Sign out everywhere
          </Button>
        </div>
      )}
    </Popover>
  )
}
