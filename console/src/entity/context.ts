import { createContext, useContext, useState } from 'react'
import type { Kind } from '../api/kinds.ts'
import type { Loaded } from '../api/queries.ts'
import { useFocusBack } from '../ui/useFocusBack.ts'
import type { Edit } from './edits.ts'
import type { Saving } from './save.ts'
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
  readonly open: () => void
  readonly close: () => void
  /** Saves, and closes when that went well. */
  readonly save: (edit: Edit) => void
}

/** Its change is one of the entity as it was seen when it was opened, whatever the page has loaded since. */
export const useEditor = (): Editor => {
  const { loaded, saving } = useShown()
  const [begun, setBegun] = useState<{ readonly seen: Loaded; readonly answered: number }>()
  useFocusBack(begun !== undefined)
  const close = (): void => {
    saving.reset()
    setBegun(undefined)
  }
  const seen = begun?.answered === saving.answered ? begun.seen : loaded
  return {
    isOpen: begun !== undefined,
    open: () => setBegun({ seen: loaded, answered: saving.answered }),
    close,
    save: (edit) => void saving.save(edit, seen).then((done) => done && close()),
  }
}
