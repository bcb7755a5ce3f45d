import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { kindNamed } from '../api/kinds.ts'
import { suggestQuery } from '../api/queries.ts'
import type { Reference } from '../api/types.ts'
import { Icon, KindIcon } from '../ui/Icon.tsx'
import { useDebounced } from '../ui/useDebounced.ts'

/** `/` and Ctrl+K lead to the search from everywhere but where text is written. */
const useShortcut = (focus: () => void): void => {
  // In the moment in which the box is there.
  useLayoutEffect(() => {
    const listen = (event: globalThis.KeyboardEvent): void => {
      const writing =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]')
      const wanted = (event.key === '/' && !writing) || (event.key === 'k' && (event.ctrlKey || event.metaKey))
      if (!wanted) return
      event.preventDefault()
      focus()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [focus])
}

const Suggestion = ({ reference, id, active, choose }: SuggestionProps) => (
  <div
    id={id}
    role="option"
    aria-selected={active}
    className={active ? 'suggestion active' : 'suggestion'}
    onPointerDown={(event) => {
      event.preventDefault()
      choose()
    }}
  >
    <KindIcon kind={reference.type} />
    <span className="suggestion-name">{reference.displayName ?? reference.name}</span>
    <span className="suggestion-path">{reference.fullyQualifiedName}</span>
    <span className="suggestion-kind">{kindNamed(reference.type).one}</span>
  </div>
)

interface SuggestionProps {
  readonly reference: Reference
  readonly id: string
  readonly active: boolean
  readonly choose: () => void
}

/** The one search box: names while typing, and with Enter the query language. */
export const SearchBox = () => {
  const { q } = useSearch({ strict: false }) as { q?: string }
  const [text, setText] = useState(q ?? '')
  const [open, setOpen] = useState(false)
  const [marked, setMarked] = useState<string>()
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const list = useId()
  useEffect(() => setText(q ?? ''), [q])
  useShortcut(() => {
    input.current?.focus()
    input.current?.select()
  })
  const prefix = useDebounced(text.trim(), 120)
  const found = useQuery({ ...suggestQuery(open ? prefix : ''), placeholderData: keepPreviousData }).data ?? []
  const shown = open && text.trim() !== '' ? found : []
  // What is marked stays marked when further suggestions come, wherever it stands then.
  const active = shown.findIndex(({ id }) => id === marked)

  const close = (): void => {
    setOpen(false)
    setMarked(undefined)
  }
  const visit = ({ type, fullyQualifiedName }: Reference): void => {
    close()
    setText('')
    input.current?.blur()
    void navigate({ to: '/$kind/$fqn', params: { kind: type, fqn: fullyQualifiedName } })
  }
  const search = (): void => {
    close()
    void navigate({ to: '/search', search: { q: text.trim() } })
  }
  const move = (by: number): void => {
    setOpen(true)
    setMarked(shown[((active + 1 + by + shown.length + 1) % (shown.length + 1)) - 1]?.id)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const chosen = shown[active]
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Enter: () => (chosen ? visit(chosen) : search()),
      Escape: close,
    }
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return (
    <div className="searchbox" role="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search the catalog"
        aria-expanded={shown.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${list}-${active}` : undefined}
        placeholder="Search, or try  tag:PII AND orders"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setOpen(true)
          setMarked(undefined)
        }}
        onFocus={() => setOpen(true)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
      <div id={list} role="listbox" aria-label="Suggestions" className="suggestions" hidden={shown.length === 0}>
        {shown.map((reference, at) => (
          <Suggestion
            key={reference.id}
            id={`${list}-${at}`}
            reference={reference}
            active={at === active}
            choose={() => visit(reference)}
          />
        ))}
      </div>
    </div>
  )
}
