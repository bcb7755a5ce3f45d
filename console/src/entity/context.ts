import { createContext, useContext } from 'react'
import type { Kind } from '../api/kinds.ts'
import type { Loaded } from '../api/queries.ts'
import type { Saving } from './save.ts'

/** The entity that a page shows, and how it is changed. */
export interface Shown {
  readonly kind: Kind
  readonly loaded: Loaded
  /** A moment of the past, as the address has it. */
  readonly asOf: string | undefined
  /** It may be changed here: it is the present, it is not deleted, and I am allowed to. */
  readonly editable: boolean
  readonly saving: Saving
}

const ShownContext = createContext<Shown | undefined>(undefined)

export const ShownProvider = ShownContext.Provider

export const useShown = (): Shown => {
  const shown = useContext(ShownContext)
  if (shown === undefined) throw new Error('There is no entity around this component.')
  return shown
}
