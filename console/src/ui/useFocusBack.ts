import { useLayoutEffect, useMemo } from 'react'

const nameOf = (element: Element): string => element.getAttribute('aria-label') ?? element.textContent

/** The element, or that of the same name which is shown in its place by now. */
const standIn = (element: Element): Element | undefined =>
  element.isConnected
    ? element
    : [...document.querySelectorAll(element.localName)].find((each) => nameOf(each) === nameOf(element))

/**
 * When something closes that had the focus, it goes back to what opened it, or else to the page.
 * @param isOpen left out where what is open is the component
 */
export const useFocusBack = (isOpen = true): void => {
  // While rendering: what opens takes the focus right after.
  const opener = useMemo(() => document.activeElement, [isOpen])
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const giveBack = (): void => {
      if (document.activeElement !== document.body) return
      const main = document.querySelector('main')
      const element = opener === null || opener === document.body ? main : (standIn(opener) ?? main)
      if (element instanceof HTMLElement) element.focus({ preventScroll: element === main })
    }
    return () => queueMicrotask(giveBack)
  }, [isOpen])
}
