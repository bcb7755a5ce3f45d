import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { kindNamed } from '../api/kinds.ts'
import { suggestQuery } from '../api/queries.ts'
import type { Reference } from '../api/types.ts'
import { Icon, KindIcon } from '../ui/Icon.tsx'
import { Listbox, useListbox } from '../ui/Listbox.tsx'
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

/** The one search box: names while typing, and with Enter the query language. */
export const SearchBox = () => {
  const { q } = useSearch({ strict: false }) as { q?: string }
  const [text, setText] = useState(q ?? '')
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setText(q ?? ''), [q])
  useShortcut(() => {
    input.current?.focus()
    input.current?.select()
  })
  const prefix = useDebounced(text.trim(), 120)
  const found = useQuery({ ...suggestQuery(open ? prefix : ''), placeholderData: keepPreviousData }).data ?? []
  const list = useListbox(open && text.trim() !== '' ? found : [])

  const close = (): void => {
    setOpen(false)
    list.unmark()
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
  const move = (by: 1 | -1): void => {
    setOpen(true)
    list.move(by)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const chosen = list.marked
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
        {...list.combobox}
        aria-label="Search the catalog"
        placeholder="Search, or try  tag:PII AND orders"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setOpen(true)
          list.unmark()
        }}
        onFocus={() => setOpen(true)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
      <Listbox of={list} label="Suggestions" className="suggestions" choose={visit}>
        {(reference) => (
          <>
            <KindIcon kind={reference.type} />
            <span className="suggestion-name">{reference.displayName ?? reference.name}</span>
            <span className="suggestion-path">{reference.fullyQualifiedName}</span>
            <span className="suggestion-kind">{kindNamed(reference.type).one}</span>
          </>
        )}
      </Listbox>
    </div>
  )
}
