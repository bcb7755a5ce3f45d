import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Marks the frame in which a page first shows its heading. */
const markHeading = `new MutationObserver((_, observer) => {
  if (!document.querySelector('main h1')?.textContent) return
  observer.disconnect()
  requestAnimationFrame(() => setTimeout(() => performance.mark('heading')))
}).observe(document, { childList: true, subtree: true, characterData: true })`

export interface Entries {
  /** In milliseconds since the page was asked for. */
  readonly heading: number
  /** Left out where the browser has not told it yet. */
  readonly contentful?: number
  /** Number of resources. */
  readonly sent: number
}

const read = async (page: Page): Promise<Entries> => {
  const ask = (): Promise<Partial<Entries>> =>
    page.evaluate(`({
      heading: performance.getEntriesByName('heading')[0]?.startTime,
      contentful: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      sent: performance.getEntriesByType('resource').length,
    })`)
  await expect.poll(ask).toMatchObject({ heading: expect.any(Number) as number })
  return (await ask()) as Entries
}

/** Opens a page, and tells how soon it showed its heading. */
export const paint = async (context: BrowserContext, address: string): Promise<Entries> => {
  const page = await context.newPage()
  await page.addInitScript(markHeading)
  await page.goto(address)
  await page.locator('main h1').first().waitFor()
  const entries = await read(page)
  await page.close()
  return entries
}
