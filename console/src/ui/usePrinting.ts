import { useSyncExternalStore } from 'react'

const print = matchMedia('print')

const subscribe = (changed: () => void): (() => void) => {
  print.addEventListener('change', changed)
  return () => print.removeEventListener('change', changed)
}

/** Is the page on its way to paper, where nobody scrolls? */
export const usePrinting = (): boolean => useSyncExternalStore(subscribe, () => print.matches)
