import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'
import { findBrowser, launchBrowser } from './browser.ts'
import { awayFromMidnight, fillShop, orders, timeZone } from './shop.ts'
import { contextOfTest, newPage } from './support.ts'

const executable = findBrowser()
const clock = pathToFileURL(join(import.meta.dirname, '../../scripts/pictures/clock.js')).href

/** Noon of the last Tuesday before the day on which this test begins. */
const tuesday = new Date()
tuesday.setUTCHours(12, 0, 0, 0)
do tuesday.setUTCDate(tuesday.getUTCDate() - 1)
while (tuesday.getUTCDay() !== 2)

/** The month in which an instant lies where the browser is. */
const monthOf = (instant: Date): string =>
  instant.toLocaleDateString('en', { timeZone, year: 'numeric', month: 'long' })

describe.skipIf(executable === undefined)('this table as it was on Tuesday', () => {
  const data = temporaryDataDir()
  let service: RunningService
  let browser: Browser

  beforeAll(async () => {
    const shift = String(tuesday.getTime() - Date.now())
    const before = await startBuilt(data.path, { NODE_OPTIONS: `--import ${clock}`, PICTURES_SHIFT: shift })
    await fillShop(before.call)
    await before.stop()
    service = await startBuilt(data.path, { CATALOG_LOG_FORMAT: 'text' })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop('SIGKILL')
    await data.remove()
  })

  it('is a link that one person makes and another opens', async () => {
    const page = await newPage(await contextOfTest(browser))
    const [printed = ''] = /http:\S+#code=[\w-]+/.exec(service.output()) ?? []
    await page.goto(printed)
    await page.getByRole('heading', { name: /^Hello, / }).waitFor()
    await page.goto(service.url + orders)
    await page.getByRole('button', { name: 'Edit the description', exact: true }).click()
    await page.getByRole('textbox', { name: 'Description' }).fill('Changed on a later day.')
    await page.getByRole('textbox', { name: 'Description' }).press('Control+Enter')
    await page.locator('.markdown', { hasText: 'Changed on a later day.' }).waitFor()

    await awayFromMidnight()
    await page.getByRole('button', { name: 'Choose a day' }).click()
    if (monthOf(tuesday) !== monthOf(new Date())) await page.getByRole('button', { name: 'The month before' }).click()
    const days = page.getByRole('button', { name: /, \d+ changes?$/ })
    await expect.poll(() => days.first().getAttribute('aria-label')).toContain(`${tuesday.getUTCDate()}. `)
    await days.first().click()
    await page.waitForURL(/asOf=\d{4}-\d\d-\d\dT/)
    await page.getByText('One row for each order.').waitFor()

    const others = await contextOfTest(browser)
    await others.request.post(`${service.url}/api/v1/session`, { data: { token: tokenFor('olga', ['DataConsumer']) } })
    const shared = await newPage(others)
    await shared.goto(page.url())
    await shared.getByText('As it was on').waitFor()
    await shared.getByText('One row for each order.').waitFor()
    expect(await shared.getByText('Changed on a later day.').count()).toBe(0)
    await shared.getByRole('button', { name: 'Back to now' }).click()
    await shared.getByText('Changed on a later day.').waitFor()
  })
})
