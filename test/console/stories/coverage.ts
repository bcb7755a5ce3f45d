import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { must, nextMoment, patch, tableFor } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'

const row = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Coverage of each group' }).getByRole('row', { name })
const namesOf = (page: Page): Promise<string[]> => page.locator('.list-scroll .list-name').allTextContents()

/** Coverage: each number leads to its list, at any moment, and lines show how it came to be. */
export const coverage = (stage: Stage): void => {
  const domain = (name: string) => must(stage.call('PUT', '/v1/domains', { name, domainType: 'Aggregate' }))

  it('is counted by domain, and each number leads to the list of those that it counts, by keyboard too', async () => {
    await domain('Wetlands')
    const shared = { domains: ['Wetlands'] }
    await tableFor(stage.call, 'covered_a', { ...shared, description: 'Herons.', owners: ['ann'] })
    await tableFor(stage.call, 'covered_b', shared)
    const page = await stage.open('/', admin)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Coverage' }).press('Enter')
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('domain')
    await page.waitForURL(/by=domain/)
    await row(page, 'Wetlands').getByRole('link', { name: '1 without' }).first().press('Enter')
    await page.waitForURL(/coverage\?domain=Wetlands/)
    await row(page, 'Tables').getByText('50%').first().waitFor()
    await row(page, 'Tables').getByRole('link', { name: '1 without' }).first().press('Enter')
    await page.waitForURL(/list\/table\?.*described=false/)
    await expect.poll(() => namesOf(page)).toEqual(['covered_b'])
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page.waitForURL(/sort=name/)
    await expect.poll(() => namesOf(page)).toEqual(['covered_b'])
    await page.getByRole('button', { name: 'Described: no' }).click()
    await expect.poll(() => namesOf(page)).toEqual(['covered_a', 'covered_b'])
    expect(complaintsOf(page)).toEqual([])
  })

  it('asks for the line over time at once with the numbers, not after them', async () => {
    const page = await stage.open('/', admin)
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/v1\/coverage\?/, async (route) => {
      await held
      await route.continue()
    })
    const asked = page.waitForRequest(/\/v1\/coverage\/history/)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Coverage' }).click()
    await asked
    release()
    await page.getByRole('region', { name: 'Coverage of each group' }).waitFor()
  })

  it('is drawn over time, told as numbers, and shown as of a moment', async () => {
    await domain('Moors')
    const address = await tableFor(stage.call, 'moor', { domains: ['Moors'] })
    const before = new Date()
    await nextMoment(before.getTime())
    await patch(stage.call, address, { description: 'Grouse.' })
    const days = String((Date.now() - before.getTime() + 1000) / 86_400_000)
    const page = await stage.open(`/coverage?domain=Moors&kind=table&days=${days}`, admin)
    const described = page.getByRole('list', { name: 'All of them' }).locator('[data-measure=described]')
    await described.getByText('100%').waitFor()
    const line = page.getByRole('region', { name: 'Over time' })
    await line.locator('polyline[data-measure=described]').waitFor({ state: 'attached' })
    await line.getByRole('button', { name: 'Show numbers' }).press('Enter')
    const numbers = line.getByRole('region', { name: 'Coverage over time' })
    await numbers.getByText('0%').first().waitFor()
    await numbers.getByText('100%').first().waitFor()
    await page.goto(`${stage.service.url}/coverage?domain=Moors&kind=table&asOf=${before.toISOString()}`)
    await described.getByText('0%').waitFor()
    await described.getByRole('link', { name: '1 without' }).click()
    await page.waitForURL(/asOf=.*described=false|described=false.*asOf=/)
    await expect.poll(() => namesOf(page)).toEqual(['moor'])
    expect(complaintsOf(page)).toEqual([])
  })
}
