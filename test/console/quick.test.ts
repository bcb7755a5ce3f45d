import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCliAlongside, startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'
import { findBrowser, launchBrowser, newContext } from './browser.ts'

const executable = findBrowser()
const table = 'shop_postgres.shop.orders.order'

/** Marks the frame in which a page first shows its heading. */
const markHeading = `new MutationObserver((_, observer) => {
  if (!document.querySelector('main h1')?.textContent) return
  observer.disconnect()
  requestAnimationFrame(() => setTimeout(() => performance.mark('heading')))
}).observe(document, { childList: true, subtree: true, characterData: true })`

interface Entries {
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

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number

describe.skipIf(executable === undefined)('pages of the seeded company', () => {
  const data = temporaryDataDir()
  let service: RunningService
  let browser: Browser

  beforeAll(async () => {
    service = await startBuilt(data.path)
    expect(await runCliAlongside(data.path, ['seed', '--url', service.url])).toMatchObject({ code: 0 })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop('SIGKILL')
    await data.remove()
  })

  const paint = async (context: BrowserContext, path: string) => {
    const page = await context.newPage()
    await page.addInitScript(markHeading)
    await page.goto(service.url + path)
    await page.locator('main h1').first().waitFor()
    const entries = await read(page)
    await page.close()
    return entries
  }

  const signedIn = async (): Promise<BrowserContext> => {
    const context = await newContext(browser)
    await context.request.post(`${service.url}/api/v1/session`, { data: { token: tokenFor('ann', ['Admin']) } })
    return context
  }

  it.each([
    [
      'the home page',
      '/',
      '/api/v1/search/query?q=*&index=all&size=0&facets=kind',
      '/api/v1/search/query?q=*&index=all&sort_field=updatedAt&from=0&size=6',
    ],
    ['a search', '/search?q=order', '/api/v1/search/query?q=order&index=all&from=0&size=20'],
    ['a table', `/table/${table}`, `/api/v1/tables/name/${table}?include=all`],
    ['a table of the past', `/table/${table}?asOf=0.1`, `/api/v1/tables/name/${table}?asOf=0.1`],
    ['the list of tables', '/list/table', '/api/v1/tables?fields=owners%2Ctags%2Cdomains&limit=200'],
  ])('ask once for what %s shows, while the program is on its way, however long that is', async (...given) => {
    const [, path = '', ...data] = given
    const context = await signedIn()
    const page = await context.newPage()
    await page.clock.install()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url().replace(service.url, '')))
    let early: string[] = []
    await page.route('**/assets/index-*.js', async (route) => {
      await expect
        .poll(() => asked)
        .toEqual(expect.arrayContaining(data))
        .catch(() => undefined)
      early = asked.filter((address) => address.startsWith('/api/'))
      await page.clock.fastForward('01:00')
      await route.continue()
    })
    await page.goto(service.url + path)
    await page.locator('#app .sidebar:empty').waitFor({ state: 'detached' })
    await page.locator('main h1').first().waitFor()
    await context.close()
    expect(early).toEqual(['/api/v1/me', ...data])
    expect(asked.filter((address) => early.includes(address))).toEqual(early)
  })

  it('show their frame before their program has come, and until there is something in its place', async () => {
    const context = await signedIn()
    const page = await context.newPage()
    let come = (): void => undefined
    const held = new Promise<void>((resolve) => (come = resolve))
    await page.route('**/assets/index-*.js', async (route) => {
      await held
      await route.continue()
    })
    // A page that has no early heading, which would come in the place of the skeleton.
    await page.goto(`${service.url}/search?q=order`, { waitUntil: 'commit' })
    await page.locator('.topbar .mark').waitFor()
    await page.locator('.main .skeleton').waitFor({ state: 'attached' })
    await page.evaluate(
      `window.emptied = new Promise((resolve) =>
        new MutationObserver(() => resolve(document.querySelector('#app .topbar') === null))
          .observe(document.getElementById('app'), { childList: true })), undefined`,
    )
    come()
    expect(await page.evaluate('window.emptied')).toBe(false)
    await page.locator('main h1').first().waitFor()
    await expect.poll(() => page.locator('.topbar').count()).toBe(1)
    await context.close()
  })

  it.each([
    ['the home page', 'on a wide screen', 1440, '/', '.kind-groups'],
    ['the home page', 'on a telephone', 390, '/', '.kind-groups'],
    ['a table', 'on a wide screen', 1440, `/table/${table}`, 'article .tabs'],
    ['a table', 'on a telephone', 390, `/table/${table}`, 'article .tabs'],
    ['the list of tables', 'on a wide screen', 1440, '/list/table', '.list-page a'],
    ['the list of tables', 'on a telephone', 390, '/list/table', '.list-page a'],
  ])('show the heading of %s before their program has come, and it stays there, %s', async (...given) => {
    const [, , width, path, rest] = given
    const context = await signedIn()
    const page = await context.newPage()
    await page.setViewportSize({ width, height: 900 })
    let come = (): void => undefined
    const held = new Promise<void>((resolve) => (come = resolve))
    await page.route('**/assets/index-*.js', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(service.url + path, { waitUntil: 'commit' })
    const heading = page.locator('main h1')
    const seen = async () => {
      const { x, y = Number.NaN, height } = (await heading.boundingBox()) ?? {}
      return { text: await heading.innerText(), x, y, height }
    }
    await page.locator('main h1', { hasText: /hello|order|\d/i }).waitFor()
    // Nothing is seen before the style sheets have come, but it could be measured.
    const styled = `[...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet !== null)`
    await expect.poll(() => page.evaluate(styled)).toBe(true)
    const before = await seen()
    expect(await page.locator(rest).count()).toBe(0)
    come()
    await page.locator(rest).first().waitFor()
    const after = await seen()
    expect(after).toMatchObject({ text: before.text, x: before.x, height: before.height })
    expect(Math.abs(after.y - before.y)).toBeLessThan(1)
    await context.close()
  })

  // How quick they are is told, and judged by people: a busy machine is no failure.
  it.each([
    ['home', '/'],
    ['a search', '/search?q=order'],
    ['a table', `/table/${table}`],
    ['the history of a table', `/table/${table}?tab=history`],
    ['the list of tables', '/list/table'],
  ])('tells after how many milliseconds %s is there', async (name, path) => {
    const context = await signedIn()
    const first = await paint(context, path)
    const again: Entries[] = []
    for (let turn = 0; turn < 5; turn++) again.push(await paint(context, path))
    await context.close()
    const heading = median(again.map((each) => each.heading))
    const contentful = again.flatMap((each) => each.contentful ?? [])
    const painted = contentful.length === 0 ? 'not told' : `${median(contentful).toFixed(0)} ms`
    process.stderr.write(
      `${name}: its heading ${first.heading.toFixed(0)} ms at the first visit, then ${heading.toFixed(0)} ms ` +
        `(first paint ${painted}, ${again[0]?.sent} resources)\n`,
    )
    expect(heading).toBeGreaterThan(0)
  })
})
