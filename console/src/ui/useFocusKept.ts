import { useEffect } from 'react'

/** What goes would take the focus along: unless something else gives it back, it stays at the nearest that does not go. */
export const useFocusKept = (): void =>
  useEffect(() => {
    /** What has the focus, and what it stands in. */
    let chain: readonly HTMLElement[] = []
    const note = ({ target }: FocusEvent): void => {
      chain = []
      for (let each = target as HTMLElement | null; each; each = each.parentElement) chain = [...chain, each]
    }
    const forget = (): void => void (chain = [])
    const isLost = (): boolean => document.activeElement === document.body && chain[0]?.isConnected === false
    const keep = (): void => {
      const place = chain.find((each) => each.isConnected)
      if (!isLost() || place === undefined || place === document.body) return
      if (place.tabIndex < 0) place.tabIndex = -1
      place.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(() => isLost() && setTimeout(keep))
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', note)
    document.addEventListener('pointerdown', forget)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', note)
      document.removeEventListener('pointerdown', forget)
    }
  }, [])
