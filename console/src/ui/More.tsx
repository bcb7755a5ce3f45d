import { useEffect, useRef, type RefObject } from 'react'
import { Button } from './Button.tsx'
import { goesOn, type Pages } from './pages.ts'
import { Retry, Skeleton } from './States.tsx'

/** Asks for the next page when the element comes near the visible part of the page. */
export const useMore = <T extends Element>(pages: Pages): RefObject<T | null> => {
  const element = useRef<T>(null)
  const { fetchNextPage } = pages
  const enabled = goesOn(pages)
  useEffect(() => {
    if (!enabled || element.current === null) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void fetchNextPage()
      },
      { rootMargin: '400px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  })
  return element
}

/** Says that the next page failed, and asks for it again. */
export const NextFailed = ({ pages }: { pages: Pages }) =>
  pages.isFetchNextPageError && (
    <Retry words="There is more." error={pages.error} retry={() => void pages.fetchNextPage()} />
  )

/** The end of a list that goes on when one says so. */
export const ShowMore = ({ pages }: { pages: Pages }) =>
  pages.isFetchNextPageError ? (
    <NextFailed pages={pages} />
  ) : (
    pages.hasNextPage && (
      <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        Show more
      </Button>
    )
  )

/** The end of a list that goes on as one scrolls. */
export const More = ({ pages }: { pages: Pages }) => (
  <div ref={useMore<HTMLDivElement>(pages)}>
    {pages.isFetchingNextPage && <Skeleton lines={3} />}
    <NextFailed pages={pages} />
  </div>
)
