import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { waitFor } from '../support/waitFor.ts'
import { fillShop, orders } from './shop.ts'
import { admin, inBrowser, pagesOfThisRun } from './support.ts'

inBrowser('pages of a small shop', fillShop, (stage) => {
  it.each(
    pagesOfThisRun([
      [
        'the home page',
        '/',
        '/api/v1/search/query?q=*&index=all&size=0&facets=kind',
        '/api/v1/search/query?q=*&index=all&sort_field=updatedAt&from=0&size=6',
      ],
      ['a search', '/search?q=order', '/api/v1/search/query?q=order&index=all&from=0&size=20'],
      ['a table', orders, `/api/v1/tables/name/shop.main.public.orders?include=all`],
      [
        'a table of the past',
        `/table/shop.main.public.orders?asOf=0.1`,
        `/api/v1/tables/name/shop.main.public.orders?asOf=0.1&include=all`,
      ],
      ['the list of tables', '/list/table', '/api/v1/tables?fields=owners%2Ctags%2Cdomains&limit=200'],
      ['the inbox', '/inbox', '/api/v1/inbox?limit=30'],
      ['notifications', '/inbox/deliveries', '/api/v1/inbox/deliveries'],
      ['proposals', '/proposals?role=mine', '/api/v1/proposals?role=mine&limit=20'],
      ['coverage', '/coverage?by=domain&kind=table', '/api/v1/coverage?kind=table&by=domain'],
    ]),
  )('ask once for what %s shows, while the program is on its way, however long that is', async (...given) => {
    const [, path = '', ...data] = given
    // The clock is one of a whole browser.
    const page = await (await stage.alone(admin)).newPage()
    await page.clock.install()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url().replace(stage.service.url, '')))
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
    await page.goto(stage.service.url + path)
    await page.locator('#app .sidebar:empty').waitFor({ state: 'detached' })
    await page.locator('main h1').first().waitFor()
    await page.locator('#app .nav').waitFor()
    expect(early).toEqual(['/api/v1/me', ...data])
    // Nobody has begun to write yet.
    expect(asked.filter((address) => address.includes('/search/suggest'))).toEqual([])
    expect(asked.filter((address) => early.includes(address))).toEqual(early)
  })

  it('show their frame before their program has come, and until there is something in its place', async () => {
    const page = await stage.blank(admin)
    let come = (): void => undefined
    const held = new Promise<void>((resolve) => (come = resolve))
    await page.route('**/assets/index-*.js', async (route) => {
      await held
      await route.continue()
    })
    // A page that has no early heading, which would come in the place of the skeleton.
    await page.goto(`${stage.service.url}${orders}?asOf=0.1`, { waitUntil: 'commit' })
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
  })

  it('paint a heading whose answer comes late before they render the rest', async () => {
    const page = await stage.blank(admin)
    await page.addInitScript(`{
      // However slow the machine is, the page waits for its answer.
      const { setTimeout } = window
      window.setTimeout = (act, after, ...more) => (after === 400 ? 0 : setTimeout(act, after, ...more))
      let frames = 0
      const count = () => { frames += 1; requestAnimationFrame(count) }
      requestAnimationFrame(count)
      const seen = (selector) => new Promise((resolve) => new MutationObserver((_, observer) => {
        if (!document.querySelector(selector)) return
        observer.disconnect()
        resolve(frames)
      }).observe(document, { childList: true, subtree: true }))
      window.painted = Promise.all(['main h1', '#app .nav'].map(seen)).then(([heading, rest]) => rest - heading)
    }`)
    await page.route('**/api/v1/search/query?q=order&index=all&from=0*', async (route) => {
      const response = await route.fetch()
      // The program has loaded, and waits for nothing else.
      await page.waitForFunction('performance.getEntriesByType("resource").some(({ name }) => /index-.*js/.test(name))')
      await delay(200)
      await route.fulfill({ response })
    })
    await page.goto(`${stage.service.url}/search?q=order`)
    expect(await page.evaluate('window.painted')).toBeGreaterThan(0)
  })

  it.each(
    pagesOfThisRun([
      ['the home page', 'on a wide screen', 1440, '/', '.kind-groups'],
      ['the home page', 'on a telephone', 390, '/', '.kind-groups'],
      ['a table', 'on a wide screen', 1440, orders, 'article .tabs'],
      ['a table', 'on a telephone', 390, orders, 'article .tabs'],
      ['the list of tables', 'on a wide screen', 1440, '/list/table', '.list-page a'],
      ['the list of tables', 'on a telephone', 390, '/list/table', '.list-page a'],
      ['a search', 'on a wide screen', 1440, '/search?q=order', '.result'],
      ['a search', 'on a telephone', 390, '/search?q=order', '.result'],
      ['coverage', 'on a wide screen', 1440, '/coverage?by=domain', '.tile'],
      ['coverage', 'on a telephone', 390, '/coverage?by=domain', '.tile'],
      ['the inbox', 'on a wide screen', 1440, '/inbox', 'a[href$=deliveries]'],
      ['notifications', 'on a wide screen', 1440, '/inbox/deliveries', '.history button'],
      ['activity', 'on a wide screen', 1440, '/activity', '.moment'],
      ['activity', 'on a telephone', 390, '/activity', '.moment'],
      ['proposals', 'on a wide screen', 1440, '/proposals', 'main .tabs'],
      ['the page to operate the catalog', 'on a wide screen', 1440, '/operate', 'main h2'],
    ]),
  )('show the heading of %s before their program has come, and it stays there, %s', async (...given) => {
    const [, , width, path, rest] = given
    const page = await stage.blank(admin)
    await page.setViewportSize({ width, height: 900 })
    let come = (): void => undefined
    const held = new Promise<void>((resolve) => (come = resolve))
    await page.route('**/assets/index-*.js', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(stage.service.url + path, { waitUntil: 'commit' })
    const heading = page.locator('main h1')
    /** Its place, as soon as it has one: one that comes in place of another has none for a moment. */
    const seen = () =>
      waitFor(async () => {
        const text = await heading.innerText()
        const { x, y, height } = (await heading.boundingBox()) ?? expect.fail('The heading has no place.')
        return { text, x, y, height }
      })
    await page
      .locator('main h1', { hasText: /hello|order|\d|inbox|notifications|activity|proposals|operate/i })
      .waitFor()
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
  })
})
