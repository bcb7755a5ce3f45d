import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { must } from '../shop.ts'
import { admin, complaintsOf, held, type Stage } from '../support.ts'

/** What the address of a page says behind its `?`. */
const searchOf = (page: Page): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams)

/** Ticks a box that stands in the address: it is ticked when the address says so, and not with the click itself. */
const choose = async (box: Locator): Promise<void> => {
  await box.click()
  await box.and(box.page().locator(':checked')).waitFor()
}

export const find = (stage: Stage): void => {
  it('says nothing of new words before the answer is there', async () => {
    const page = await stage.open('/search?q=*', admin)
    await page.getByRole('heading', { name: /results for \*$/ }).waitFor()
    const answers = await held(page, '**/search/query?*')
    await page.getByRole('combobox', { name: 'Search the catalog' }).fill('nonexistingword')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Searching … for nonexistingword' }).waitFor()
    await expect.poll(() => page.locator('.result-list').getAttribute('inert')).not.toBe(null)
    await expect.poll(() => page.locator('.facet .count').allTextContents()).not.toContain(expect.stringMatching(/\d/))
    answers.release()
    await page.getByRole('heading', { name: 'No results' }).waitFor()
  })

  it('suggests names while typing, and goes there with the keys', async () => {
    const page = await stage.open('/', admin)
    await page.getByRole('heading', { name: /^Hello/ }).waitFor()
    await page.keyboard.press('/')
    const box = page.getByRole('combobox', { name: 'Search the catalog' })
    await box.and(page.locator(':focus')).waitFor()
    await box.pressSequentially('custom')
    // What was suggested for the first of these letters alone goes when the suggestions for all of them come.
    await expect.poll(() => page.getByRole('option').first().innerText()).toContain('customers')
    await box.press('ArrowDown')
    await page.getByRole('option', { name: /customers/, selected: true }).waitFor()
    await box.press('Enter')
    await page.getByRole('heading', { name: 'customers', level: 1 }).waitFor()
    await page.waitForURL('**/table/shop.main.public.customers')
    expect(complaintsOf(page)).toEqual([])
  })

  it('goes nowhere with the keys that was not marked: what is suggested later is another thing', async () => {
    const page = await stage.open('/', admin)
    const box = page.getByRole('combobox', { name: 'Search the catalog' })
    await box.fill('s')
    const first = page.getByRole('option').first()
    await first.and(page.locator(':not(:has-text("customers"))')).waitFor()
    const later = await held(page, '**/search/suggest?q=customers*')
    await box.fill('customers')
    await box.press('ArrowDown')
    await first.and(page.locator('[aria-selected="true"]')).waitFor()
    later.release()
    await first.and(page.locator(':has-text("customers")')).waitFor()
    expect(await page.getByRole('option', { selected: true }).count()).toBe(0)
  })

  it('finds by the query language, narrows by what the hits have, and each state has an address', async () => {
    const page = await stage.open('/search?q=kind:table AND order*', admin)
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    await choose(page.getByRole('radio', { name: 'Personal' }))
    await page.waitForURL(/tag=Privacy.Personal/)
    await page.getByRole('heading', { name: /^1 result/ }).waitFor()
    const again = await stage.open(page.url().replace(stage.service.url, ''), admin)
    await again.getByRole('radio', { name: 'Personal', checked: true }).waitFor()
    await again.getByRole('button', { name: 'Clear all filters' }).click()
    await expect.poll(() => searchOf(again)).toEqual({ q: 'kind:table AND order*' })
  })

  it('counts what each filter leaves, takes each away again, and tells them all in the address', async () => {
    const page = await stage.open('/search', admin)
    const filters = page.getByRole('complementary', { name: 'Filters' })
    const group = (name: string) => filters.getByRole('group', { name })
    await choose(group('Kind').getByRole('radio', { name: 'Tables 3' }))
    await page.waitForURL(/kind=table/)
    await page.getByRole('heading', { name: '3 results' }).waitFor()
    await group('Kind')
      .getByRole('radio', { name: /^Databases 1/ })
      .waitFor()
    await choose(group('Service').getByRole('radio', { name: 'Shop database 3' }))
    await group('Status').getByRole('radio', { name: 'Unprocessed 3' }).waitFor()
    await choose(group('Domain').getByRole('radio', { name: 'Sales 1' }))
    await page.getByRole('heading', { name: '1 result', exact: true }).waitFor()
    await choose(group('Owner').getByRole('radio', { name: 'Sales team 1' }))
    const all = { kind: 'table', service: 'shop', domain: 'Sales', owner: 'sales' }
    await expect.poll(() => searchOf(page)).toEqual(all)
    const chosen = page.getByRole('group', { name: 'Chosen filters' })
    await chosen.getByRole('button', { name: 'Owner: Sales team' }).click()
    await chosen.getByRole('button', { name: 'Domain: Sales' }).click()
    await page.getByRole('heading', { name: '3 results' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: '1 result', exact: true }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('says what is wrong with a query, and what to do when nothing is found', async () => {
    const page = await stage.open('/search?q=orders AND (', admin)
    await page.getByRole('heading', { name: 'Invalid search' }).waitFor()
    await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor()
    await page.getByText(/^column \d+: /).waitFor()
    await page.goto(`${stage.service.url}/search?q=zzzzzz`)
    await page.getByRole('heading', { name: 'No results' }).waitFor()
  })

  it('leads to what it found, also where that has a member of its own that is called entityType', async () => {
    const page = await stage.open('/search?q=columnValueLengthsToBeBetween', admin)
    await page.getByRole('link', { name: 'Lengths are in a range' }).click()
    await page.getByRole('heading', { name: 'Lengths are in a range', level: 1 }).waitFor()
    await page.waitForURL('**/testDefinition/columnValueLengthsToBeBetween')
  })

  it('walks the tree down to a nested column with the keys alone', async () => {
    const page = await stage.open('/', admin)
    await page.getByRole('tree').focus()
    const here = page.locator('[role="treeitem"]:focus')
    const open = async (next: string): Promise<void> => {
      await page.keyboard.press('ArrowRight')
      await here.and(page.locator('[aria-expanded="true"]')).waitFor()
      await page.getByRole('treeitem', { name: next, exact: true }).first().waitFor()
    }
    await open('Shop database')
    await page.keyboard.press('ArrowRight')
    await open('main')
    await page.keyboard.press('ArrowRight')
    await open('public')
    await page.keyboard.press('ArrowRight')
    await open('Orders')
    await page.getByRole('treeitem', { name: 'Orders', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('treeitem', { name: 'address struct', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('treeitem', { name: 'city string', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/column=shop.main.public.orders.address.city/)
    await page.locator('tr.here').getByText('city', { exact: true }).waitFor()
  })

  it('shows in the tree where the page is, however far down its list, and follows it', async () => {
    await must(stage.call('PUT', '/v1/services/dashboardServices', { name: 'far', serviceType: 'Superset' }))
    const names = Array.from({ length: 250 }, (_, at) => `board_${String(at).padStart(3, '0')}`)
    const dashboards = [...names, 'with.dot'].map((name) => ({ name, service: 'far' }))
    expect((await stage.call('PUT', '/v1/dashboards/bulk', dashboards)).body.status).toBe('success')
    const page = await stage.open('/dashboard/far.board_240', admin)
    const here = page.getByRole('tree').locator('.tree-row.here')
    for (const name of ['board_240', 'board_003', 'board_199', 'with.dot']) {
      await page.goto(`${stage.service.url}/dashboard/far.${name.includes('.') ? `"${name}"` : name}`)
      await here.getByText(name, { exact: true }).waitFor()
      await expect.poll(() => here.count()).toBe(1)
      await expect.poll(() => here.evaluate((row) => row.checkVisibility())).toBe(true)
    }
    const rows = page.getByRole('treeitem', { name: 'with.dot', exact: true })
    const more = page.locator('.tree .tree-note')
    await expect
      .poll(async () => {
        await more.evaluateAll((notes) => notes.at(-1)?.scrollIntoView())
        return page.getByRole('treeitem', { name: 'board_249', exact: true }).count()
      })
      .toBe(1)
    await expect.poll(() => rows.count()).toBe(1)
    expect(complaintsOf(page)).toEqual([])
  })

  it('scrolls through a long list without having all of it on the page', async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `topic_${String(at).padStart(4, '0')}`)
    await must(stage.call('PUT', '/v1/services/messagingServices', { name: 'events', serviceType: 'Kafka' }))
    const topics = names.map((name) => ({ name, service: 'events' }))
    expect((await stage.call('PUT', '/v1/topics/bulk', topics)).body.status).toBe('success')
    const page = await stage.open('/list/topic', admin)
    await page.getByRole('heading', { name: /Topics 1\.000/ }).waitFor()
    const scroller = page.getByLabel('Topics, scrollable')
    await scroller.focus()
    const last = page.getByRole('cell', { name: 'topic_0999', exact: true })
    await expect
      .poll(async () => {
        await page.keyboard.press('End')
        return last.count()
      })
      .toBe(1)
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(100)
  })
}
