import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { orders, ordersRequest } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'
import { atThisPace } from '../../support/processorTime.ts'
import { longEnough } from '../../support/patience.ts'

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe finds serious or worse, with the element that it is about. */
export const serious = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as {
    violations: Violation[]
  }
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    )
}

/** Tells how many milliseconds the main thread has worked for the document that a page shows: without what it waits for. */
const workOf = async (page: Page): Promise<() => Promise<number>> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return Math.round((metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000)
  }
}

/** The same person with a telephone, which has no pointer. */
const telephone = async (page: Page): Promise<Page> => {
  const browser = page.context().browser()
  if (browser === null) throw new Error('The page has no browser.')
  const storageState = await page.context().storageState()
  const context = await browser.newContext({ ...telephoneSettings, storageState })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(longEnough)
  const opened = await context.newPage()
  await opened.goto(page.url())
  return opened
}

const telephoneSettings = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }

/** Where they are seen, in pixels of the window. */
const boxesOf = async (found: Locator) => {
  await found.first().waitFor()
  const boxes = await Promise.all((await found.all()).map((each) => each.boundingBox()))
  return boxes.flatMap((box) => box ?? [])
}

const pages: readonly (readonly [name: string, path: string, ready: string])[] = [
  ['the home page', '/', 'Changed last'],
  ['a search', '/search?q=order*', 'Orders'],
  ['a list', '/list/table', 'Tables'],
  ['an entity', orders, 'Columns'],
  ['an entity as it was', `${orders}?asOf=0.1`, 'Columns'],
  ['a history', `${orders}?tab=history`, 'Orders'],
  ['a contract that is not there', `${orders}?tab=contract`, 'Nothing is promised'],
  ['a form', '/new/table?inKind=databaseSchema&in=shop.main.public', 'New table'],
  ['the activity', '/activity', 'Activity'],
  ['a request', `/requests/${ordersRequest}`, 'What one request did'],
  ['operations', '/operate', 'Webhooks'],
]

export const everybody = (stage: Stage): void => {
  it.each(pages)('%s can be used by everybody, on a telephone, in light and dark', async (_, path, ready) => {
    const page = await stage.open(path, admin)
    await page.getByRole('heading', { name: ready }).first().waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.setViewportSize({ width: 1280, height: 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect([colorScheme, await serious(page)]).toEqual([colorScheme, []])
    }
    expect(complaintsOf(page)).toEqual([])
  })

  it('can be used by everybody before signing in', async () => {
    const page = await stage.open('/sign-in')
    await page.getByLabel('Token').waitFor()
    expect(await serious(page)).toEqual([])
  })

  it('has its tree in a drawer on a telephone', async () => {
    const page = await stage.open(orders, admin)
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByRole('button', { name: 'Open the tree' }).click()
    await page.getByRole('button', { name: 'Domains', exact: true }).click()
    await page.getByRole('tree').getByRole('link', { name: 'Sales', exact: true }).click()
    await page.getByRole('heading', { name: 'Sales', level: 1 }).waitFor()
    expect(await page.getByRole('tree').isVisible()).toBe(false)
  })

  it('keeps on a telephone everything in its place: names, suggestions, and what edits a text', async () => {
    const page = await telephone(await stage.open('/', admin))
    const names = page.getByRole('region', { name: 'Changed last' }).getByRole('link', { name: /^(?!.*show all)/i })
    await names.first().waitFor()
    for (const { width } of await boxesOf(names)) expect(width).toBeGreaterThan(150)
    await page.getByRole('combobox', { name: 'Search the catalog' }).fill('custom')
    const [list] = await boxesOf(page.getByRole('listbox'))
    for (const name of await boxesOf(page.locator('.suggestion-name')))
      expect(name.x + name.width).toBeLessThan((list?.x ?? 0) + (list?.width ?? 0))
    await page.goto(stage.service.url + orders)
    const row = page.getByRole('row').filter({ hasText: 'customer_id' })
    const [within] = await boxesOf(row)
    const [tags] = await boxesOf(row.getByRole('button', { name: /^Edit the tags/ }))
    expect((tags?.y ?? Infinity) + (tags?.height ?? 0)).toBeLessThanOrEqual((within?.y ?? 0) + (within?.height ?? 0))
    const text = page.getByRole('region', { name: 'Description' }).locator('.markdown')
    const edit = page.getByRole('button', { name: 'Edit the description' })
    const [written] = await boxesOf(text)
    const [button] = await boxesOf(edit)
    expect((written?.x ?? Infinity) + (written?.width ?? 0)).toBeLessThanOrEqual(button?.x ?? 0)
  })

  it('cuts off nothing on a narrow telephone: what happened, where, and what is wrong with a document', async () => {
    const page = await stage.open('/activity', admin)
    await page.setViewportSize({ width: 320, height: 700 })
    const cut = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length)
    await page.locator('.moment').first().waitFor()
    expect(await cut('.moment, .moment-body')).toBe(0)
    await page.goto(`${stage.service.url}${orders}?tab=history`)
    await page.locator('.moment').first().waitFor()
    for (const { width } of await boxesOf(page.locator('.moment-body'))) expect(width).toBeGreaterThan(160)
    await page.goto(`${stage.service.url}${orders}?tab=contract`)
    await page.getByRole('button', { name: /Write one|Edit as YAML/ }).click()
    const editor = page.locator('.yaml textarea')
    await editor.fill(`kind: DataContract\nname: x\nstatus: ${'a-word-of-many-letters-'.repeat(4)}\nschema: 5\n`)
    await page.locator('.yaml-marks li').first().waitFor()
    expect(await cut('.yaml-marks, .yaml-marks button')).toBe(0)
  })

  it('writes words that belong together in one line, and what is named beside its sentence', async () => {
    const page = await stage.open('/list/table', admin)
    const moment = page.locator('label', { hasText: 'As of' })
    await moment.waitFor()
    const lines = await moment.evaluate((label) => {
      const range = label.ownerDocument.createRange()
      range.selectNodeContents(label.firstChild ?? label)
      return range.getClientRects().length
    })
    expect(lines).toBe(1)
    await page.goto(`${stage.service.url}/activity`)
    const row = page.getByRole('listitem').filter({ hasText: 'created' }).first()
    const [who] = await boxesOf(row.locator('strong'))
    const [what] = await boxesOf(row.locator('.entity-link > span').last())
    expect(Math.abs((who?.y ?? 0) - (what?.y ?? Infinity))).toBeLessThanOrEqual(2)
    await page.goto(`${stage.service.url}${orders}?asOf=0.1`)
    await page.getByRole('button', { name: 'Revert to this' }).click()
    const dialog = page.getByRole('dialog')
    const [says] = await boxesOf(dialog.getByText('Nothing is lost'))
    const [heads] = await boxesOf(dialog.getByText('As it is now'))
    expect((heads?.y ?? Infinity) - (says?.y ?? 0)).toBeLessThan(80)
  })

  it('asks nobody but its own origin', async () => {
    const page = await stage.open('/sign-in')
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(stage.service.url)) elsewhere.push(request.url())
    })
    for (const [, path] of pages) await page.goto(stage.service.url + path, { waitUntil: 'load' })
    expect(elsewhere).toEqual([])
  })

  it('is there soon: no page is much work for its browser, on a machine that does much else', async () => {
    const page = await stage.open('/', admin)
    const worked = await workOf(page)
    for (const [, path, ready] of pages) {
      await page.goto(stage.service.url + path)
      await page.getByRole('heading', { name: ready }).first().waitFor()
      const work = await worked()
      expect(work, path).toBeGreaterThan(0)
      expect(work, path).toBeLessThan(atThisPace(2000))
    }
  })

  it('says what to do where nothing is', async () => {
    const page = await stage.open('/table/shop.main.public.nowhere', admin)
    await page.getByRole('heading', { name: 'There is nothing of this name' }).waitFor()
    await page.goto(`${stage.service.url}/no/such/page/at/all`)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  })
}
