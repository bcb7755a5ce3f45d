import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { randomFor } from '../support/random.ts'

const seed = Number(process.env['CATALOG_TEST_STRESS'] ?? 0)
const random = randomFor(`stress ${seed}`)

/** How many times slower its processor is: 1, 4 or 7, by the seed. */
export const slower = seed === 0 ? 1 : 1 + 3 * (seed % 3)

const wait = (): Promise<void> => delay(random.chance(0.3) ? 0 : random.next() * 800)

/** An answer of the API is late, and may be old then; of all else the request is late. */
const late = async (route: Route): Promise<void> => {
  const request = route.request()
  const isRead = request.method() === 'GET' && request.resourceType() === 'fetch'
  if (isRead && /\/api\/v1\//.test(request.url()) && !/stream/.test(request.url())) {
    const response = await route.fetch({ maxRedirects: 0 })
    await wait()
    await route.fulfill({ response })
    return
  }
  await wait()
  await route.fallback()
}

const slow = async (page: Page): Promise<void> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
}

/**
 * With a number in `CATALOG_TEST_STRESS` what comes to a browser comes in another order than usually, and its processor is
 * slower: what a story must not depend on.
 */
export const stress = async (context: BrowserContext): Promise<void> => {
  if (seed === 0) return
  // A page that is left no longer wants its answers.
  await context.route('**/*', (route) => late(route).catch(() => undefined))
  context.on('page', (page) => void slow(page).catch(() => undefined))
}
