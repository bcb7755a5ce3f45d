import { useMutation } from '@tanstack/react-query'
import { createContext, useContext, useState } from 'react'
import type { Kind } from '../api/kinds.ts'
import { refresh, type Loaded } from '../api/queries.ts'
import { toast } from '../ui/toasts.tsx'
import { useFocusBack } from '../ui/useFocusBack.ts'
import type { Edit } from './edits.ts'
import { save, type Saving } from './save.ts'
import type { useAuthors } from './Written.tsx'

/** The entity that a page shows, and how it is changed. */
export interface Shown {
  readonly kind: Kind
  readonly loaded: Loaded
  /** A moment of the past, as the address has it. */
  readonly asOf: string | undefined
  /** It may be changed here: it is the present, it is not deleted, and I am allowed to. */
  readonly editable: boolean
  readonly saving: Saving
  readonly authors: ReturnType<typeof useAuthors>
}

const ShownContext = createContext<Shown | undefined>(undefined)

export const ShownProvider = ShownContext.Provider

export const useShown = (): Shown => {
  const shown = useContext(ShownContext)
  if (shown === undefined) throw new Error('There is no entity around this component.')
  return shown
}

/** Something on the page that is edited where it stands. */
export interface Editor {
  readonly isOpen: boolean
  /** The entity when it was opened: what it shows of that stays, whatever comes. */
  readonly seen: Loaded
  readonly open: () => void
  readonly close: () => void
  /** Saves, and closes when that went well. */
  readonly save: (edit: Edit) => void
  readonly busy: boolean
  readonly error: unknown
}

/** Its change is one of the entity as it was seen when it was opened, whatever the page has loaded since. */
export const useEditor = (): Editor => {
  const { loaded, saving } = useShown()
  const [seen, setSeen] = useState<Loaded>()
  useFocusBack(seen !== undefined)
  const mutation = useMutation({
    mutationFn: (edit: Edit) => save(saving, edit, seen ?? loaded),
    onSuccess: async (outcome) => {
      if (outcome === 'left') return
      if (outcome !== 'proposed') await refresh()
      if (outcome === 'saved') toast('Saved')
      setSeen(undefined)
    },
  })
  const close = (): void => {
    mutation.reset()
    setSeen(undefined)
  }
  return {
    isOpen: seen !== undefined,
    seen: seen ?? loaded,
    open: () => setSeen(loaded),
    close,
    save: mutation.mutate,
    busy: mutation.isPending,
    error: mutation.error,
  }
}
