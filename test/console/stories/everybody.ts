import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { must, orders, tableFor } from '../shop.ts'
import { admin, complaintsOf, contextOfTest, newPage, pagesOfThisRun, type Stage } from '../support.ts'
import { waitFor } from '../../support/waitFor.ts'

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe finds serious or worse, with the element that it is about. @param only these rules, not all */
const serious = async (page: Page, only?: readonly string[]): Promise<string[]> => {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(only && { runOnly: only }) })
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as { violations: Violation[] }
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    )
}

/** The same person with a telephone, which has no pointer. */
const telephone = async (page: Page): Promise<Page> => {
  const browser = page.context().browser()
  if (browser === null) throw new Error('The page has no browser.')
  const storageState = await page.context().storageState()
  const opened = await newPage(await contextOfTest(browser, { ...telephoneSettings, storageState }))
  await opened.goto(page.url())
  return opened
}

const telephoneSettings = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }

/** Axe has nothing against the page, as soon as nothing moves any more. @param only these rules count, not all */
export const seriousAtRest = (page: Page, only?: readonly string[]): Promise<void> =>
  waitFor(async () => {
    expect(await page.locator('.skeleton').count()).toBe(0)
    expect(await serious(page, only)).toEqual([])
  })

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/**
 * Checks where elements are within one that holds them, in pixels of the window, until it is right: a page moves while its
 * data comes. All are measured at the same moment, since only such boxes can be compared.
 * @param right is given the box of what holds them, and those of the first element of each selector
 */
const expectWithin = (holder: Locator, selectors: readonly string[], right: (holder: Box, ...boxes: Box[]) => void) =>
  waitFor(async () => {
    const [outer, ...boxes] = await holder.evaluate((element, wanted) => {
      const found = [element, ...wanted.map((selector) => element.querySelector(selector))]
      return found.map((each) => {
        if (each === null || each.getClientRects().length === 0)
          throw new Error(`Of ${wanted.join(' and ')} something is not to be seen.`)
        const { left, right: end, top, bottom } = each.getBoundingClientRect()
        return { left, right: end, top, bottom }
      })
    }, selectors)
    right(outer as Box, ...boxes)
  })

/** Checks that there are such elements and that each is wider than this, as soon as the page has come to rest. */
const expectWider = (found: Locator, least: number) =>
  waitFor(async () => {
    const widths = await found.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width))
    expect(widths.length).toBeGreaterThan(0)
    expect(Math.min(...widths)).toBeGreaterThan(least)
  })

/** The pages of the console, each with a heading that it has when it is ready. */
export const pages: readonly (readonly [name: string, path: string, ready: string])[] = [
  ['the home page', '/', 'Recently changed'],
  ['a search', '/search?q=order*', 'Orders'],
  ['a list', '/list/table', 'Tables'],
  ['an entity', orders, 'Columns'],
  ['an entity as it was', `${orders}?asOf=0.1`, 'Columns'],
  ['a history', `${orders}?tab=history`, 'Orders'],
  ['a lineage', `${orders}?tab=lineage`, 'Comes from'],
  ['a contract that is not there', `${orders}?tab=contract`, 'No contract yet'],
  ['a form', '/new/table?inKind=databaseSchema&in=shop.main.public', 'New table'],
  ['the activity', '/activity', 'Activity'],
  ['the proposals', '/proposals', 'Proposals'],
  ['coverage', '/coverage?by=domain', 'Coverage'],
  ['operations', '/operate', 'Webhooks'],
]

/** The rules of axe that look at colours: all others find the same in light and dark mode. */
const ofColors = ['color-contrast', 'link-in-text-block']

/** Those that look at names: what is left out on a narrow screen must keep its name. */
const ofNames = ['link-name', 'button-name']

/** On a phone, in light and dark mode, without serious findings of accessibility. */
export const usableByEverybody = async (page: Page): Promise<void> => {
  await page.setViewportSize({ width: 360, height: 800 })
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  await seriousAtRest(page, ofNames)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await seriousAtRest(page)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await seriousAtRest(page, ofColors)
  expect(complaintsOf(page)).toEqual([])
}

export const everybody = (stage: Stage): void => {
  it.each(pagesOfThisRun(pages))(
    '%s can be used by everybody, on a telephone, in light and dark, and asks nobody else',
    async (_, path, ready) => {
      const page = await stage.open(path, admin)
      await page.getByRole('heading', { name: ready }).first().waitFor()
      if (path !== '/') await expect.poll(() => page.title()).toMatch(/. · Catalog$/)
      await usableByEverybody(page)
    },
  )

  it('can be used by everybody before signing in', async () => {
    const page = await stage.open('/sign-in')
    await page.getByLabel('Token').waitFor()
    await seriousAtRest(page)
    expect(complaintsOf(page)).toEqual([])
  })

  it('has its tree in a drawer on a telephone', async () => {
    const page = await stage.open(orders, admin)
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByRole('button', { name: 'Open the tree' }).click()
    await page.getByRole('button', { name: 'Domains', exact: true }).click()
    // What is still being loaded moves what stands below it.
    await page.waitForLoadState('networkidle')
    await page.getByRole('tree').getByRole('link', { name: 'Sales', exact: true }).click()
    await page.getByRole('heading', { name: 'Sales', level: 1 }).waitFor()
    await page.getByRole('tree').waitFor({ state: 'hidden' })
  })

  it('keeps on a telephone everything in its place: names, suggestions, and what edits a text', async () => {
    const page = await telephone(await stage.open('/', admin))
    const names = page.getByRole('region', { name: 'Recently changed' }).getByRole('link', { name: /^(?!.*show all)/i })
    await expectWider(names, 150)
    await page.getByRole('combobox', { name: 'Search the catalog' }).fill('custom')
    await page.getByRole('option', { name: /customers/ }).waitFor()
    const beyond = () =>
      page.getByRole('listbox').evaluate((list) => {
        const names = [...list.querySelectorAll('.suggestion-name')].map((name) => name.getBoundingClientRect().right)
        return Math.max(...names) - list.getBoundingClientRect().right
      })
    await expect.poll(beyond).toBeLessThan(0)
    await page.goto(stage.service.url + orders)
    const row = page.getByRole('row').filter({ hasText: 'customer_id' })
    await expectWithin(row, ['[aria-label^="Edit the tags"]'], (within, tags) =>
      expect(tags?.bottom).toBeLessThanOrEqual(within.bottom),
    )
    const description = page.getByRole('region', { name: 'Description' })
    await expectWithin(description, ['.markdown', '[aria-label="Edit the description"]'], (_, text, edit) =>
      expect(text?.right).toBeLessThanOrEqual(edit?.left ?? 0),
    )
  })

  it('cuts off nothing on a narrow telephone: what happened, where, and what is wrong with a document', async () => {
    const page = await stage.open('/activity', admin)
    await page.setViewportSize({ width: 320, height: 700 })
    const cut = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length)
    await page.locator('.moment').first().waitFor()
    await expect.poll(() => cut('.moment, .moment-body')).toBe(0)
    await page.goto(`${stage.service.url}${orders}?tab=history`)
    await expectWider(page.locator('.moment-body'), 160)
    await page.goto(`${stage.service.url}${orders}?tab=contract`)
    await page.getByRole('button', { name: /Write one|Edit as YAML/ }).click()
    const editor = page.locator('.yaml textarea')
    await editor.fill(`kind: DataContract\nname: x\nstatus: ${'a-word-of-many-letters-'.repeat(4)}\nschema: 5\n`)
    await page.locator('.yaml-marks li').first().waitFor()
    await expect.poll(() => cut('.yaml-marks, .yaml-marks button')).toBe(0)
  })

  it('is as wide as the window with names that have no blanks, and keeps their direction to themselves', async () => {
    const long = 'g'.repeat(200)
    await must(stage.call('PUT', '/v1/tags', { name: long, classification: 'Privacy' }))
    const table = await tableFor(stage.call, 'bidi\u202Exyz', { tags: [`Privacy.${long}`] })
    const page = await stage.open(table, admin)
    await page.setViewportSize({ width: 320, height: 640 })
    const wider = () => page.evaluate('document.documentElement.scrollWidth - innerWidth')
    await page.locator('.tag').first().waitFor()
    expect(await wider()).toBe(0)
    await page.goto(`${stage.service.url}/search?q=${long}&tag=Privacy.${long}`)
    await page.getByRole('button', { name: /^Tag:/ }).waitFor()
    await page.getByRole('heading', { name: /for ggg/ }).waitFor()
    expect(await wider()).toBe(0)
    await page.goto(`${stage.service.url}/activity`)
    const name = page.locator('.hint > *', { hasText: 'bidi' }).first()
    await name.waitFor()
    expect(
      await page.evaluate(`(() => {
        const name = [...document.querySelectorAll('.hint > *')].find((each) => each.textContent.includes('bidi'))
        return getComputedStyle(name).unicodeBidi
      })()`),
    ).toBe('isolate')
  })

  it('shows with colours of the system alone what is chosen', async () => {
    const page = await stage.open(orders, admin)
    await page.emulateMedia({ forcedColors: 'active' })
    const outlineOf = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`)
    await page.locator('.tab.on').waitFor()
    expect([await outlineOf('.tab.on'), await outlineOf('.tab:not(.on)')]).toEqual(['solid', 'none'])
    await page.getByRole('combobox', { name: 'Search the catalog' }).fill('ord')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => outlineOf('[role=option][aria-selected=true]')).toBe('solid')
  })

  it('writes words that belong together in one line, and what is named beside its sentence', async () => {
    const page = await stage.open('/list/table', admin)
    const moment = page.locator('label', { hasText: 'As of' })
    await moment.waitFor()
    const lines = () =>
      moment.evaluate((label) => {
        const range = label.ownerDocument.createRange()
        range.selectNodeContents(label.firstChild ?? label)
        return range.getClientRects().length
      })
    await expect.poll(lines).toBe(1)
    await page.goto(`${stage.service.url}/activity`)
    const row = page.getByRole('listitem').filter({ hasText: 'created' }).first()
    await expectWithin(row, ['strong', '.entity-link > span:last-child'], (_, who, what) =>
      expect(Math.abs((who?.top ?? 0) - (what?.top ?? Infinity))).toBeLessThanOrEqual(2),
    )
    await page.goto(`${stage.service.url}${orders}?asOf=0.1`)
    await page.getByRole('button', { name: 'Revert to this' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nothing is lost').waitFor()
    await dialog.getByText('As it is now').waitFor()
    await expectWithin(dialog, ['.dialog-content > p', '.diff-heads'], (_, says, heads) =>
      expect((heads?.top ?? Infinity) - (says?.top ?? 0)).toBeLessThan(80),
    )
  })

  it('says that the catalog is not responding where a part of the console does not come, and goes on once it does', async () => {
    const page = await stage.openAlone(orders, admin)
    await page.context().setOffline(true)
    for (const name of ['Contract', 'Coverage']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('alert').getByText('The catalog is not responding. Is it running').waitFor()
      await page.waitForURL(/contract|coverage/)
    }
    const again = page.getByRole('button', { name: 'Try again' })
    await again.click()
    await page.locator('.toasts').getByText('The catalog is not responding').waitFor()
    await page.context().setOffline(false)
    await again.click()
    await page.locator('.tile').first().waitFor()
  })

  it('says what failed, and not that there is nothing', async () => {
    const page = await stage.open('/', ['rex', 'Finder'])
    const changed = page.getByRole('region', { name: 'Recently changed' })
    await changed.getByRole('heading', { name: 'Your roles do not allow this' }).waitFor()
    await page.route('**/v1/tables?*', (route) => route.fulfill({ status: 503, json: { message: 'Not yet.' } }))
    await page.goto(`${stage.service.url}/databaseSchema/shop.main.public`)
    await page.locator('main').getByRole('heading', { name: 'The catalog is not ready' }).waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('region', { name: 'Tables' }).getByRole('link').first().waitFor()
  })

  it('shows what they own to those who may view nothing else, and does not call the catalog empty', async () => {
    const page = await stage.open('/', ['olga', 'Owner'])
    await page.getByText('Nothing that you may see has changed yet.').waitFor()
    expect(await page.getByText('The catalog is empty').count()).toBe(0)
    await must(stage.call('PUT', '/v1/users', { name: 'olga' }))
    await tableFor(stage.call, 'of_olga', { owners: ['olga'] })
    await page.goto(`${stage.service.url}/list/table`)
    await expect.poll(() => page.locator('.list-name').allTextContents()).toEqual(['of_olga'])
  })

  it('says what to do where nothing is', async () => {
    const page = await stage.open('/table/shop.main.public.nowhere', admin)
    await page.getByRole('heading', { name: 'Nothing has this name' }).waitFor()
    await page.goto(`${stage.service.url}/no/such/page/at/all`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('combobox', { name: 'Search the catalog' }).waitFor()
    await page.goto(`${stage.service.url}/table/shop.main.public.orders?tab=none`)
    await page.getByRole('link', { name: 'Overview' }).and(page.locator('[aria-current=page]')).waitFor()
  })
}
