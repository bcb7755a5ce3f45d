import { useEffect } from 'react'

/** What browsers call the page, in tabs and histories. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Catalog`
    return () => {
      document.title = 'Catalog'
    }
  }, [title])
}
