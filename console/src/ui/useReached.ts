import { useEffect, useRef, type RefObject } from 'react'

/** Calls `act` whenever the element comes near the visible part of the page. */
export const useReached = <T extends Element>(act: () => void, enabled: boolean): RefObject<T | null> => {
  const element = useRef<T>(null)
  useEffect(() => {
    if (!enabled || element.current === null) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) act()
      },
      { rootMargin: '400px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  })
  return element
}
