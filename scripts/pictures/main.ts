import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { browserPath } from '../../test/console/browser.ts'
import { animate } from './moving.ts'
import { seed, serve, type Served } from './service.ts'
import { chapters, order } from './story.ts'

const day = 24 * 60 * 60 * 1000
const docs = join(import.meta.dirname, '../../docs/pictures')
const table = `/table/${order}`

interface Picture {
  readonly name: string
  readonly path: string
  readonly dark?: boolean
  readonly width?: number
  readonly height?: number
  /** What is done on the page before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>
}

const instant = (daysAgo: number): string => new Date(Date.now() - daysAgo * day).toISOString()

const pictures: readonly Picture[] = [
  { name: 'home', path: '/' },
  { name: 'find', path: '/search?q=order&kind=table&domain=Sales.Web%20Shop' },
  { name: 'table', path: table },
  { name: 'past', path: `${table}?asOf=${instant(33)}` },
  { name: 'differences', path: `${table}?tab=history&from=0.4&to=now` },
  {
    name: 'lineage',
    path: `/dashboard/bi_superset.sales-today?tab=lineage&asOf=${instant(8)}&to=now`,
    act: (page) => page.locator('.lineage-node').first().waitFor(),
  },
  {
    name: 'coverage',
    path: '/coverage?by=domain&kind=table',
    act: (page) => page.locator('.coverage-line').waitFor(),
  },
  { name: 'uses', path: '/tag/PII.Sensitive?tab=used-by' },
  {
    name: 'authors',
    path: table,
    act: async (page) => {
      await page.getByRole('button', { name: 'Who wrote what' }).click()
      await page.getByRole('link', { name: 'the whole request' }).first().waitFor()
    },
  },
  {
    name: 'list',
    path: '/list/table?domain=Sales.Web%20Shop',
    act: async (page) => {
      for (const row of [2, 3, 5]) await page.getByRole('row').nth(row).getByRole('checkbox').check()
    },
  },
  {
    name: 'results',
    path: '/list/testCase?validation=Success',
    act: async (page) => {
      await page.getByRole('link', { name: 'rowsArriveInTime', exact: true }).first().click()
      await page.getByRole('region', { name: 'Results' }).waitFor()
    },
  },
  {
    name: 'proposal',
    path: `${table}?tab=proposals`,
    act: (page) => page.getByRole('button', { name: 'Accept', exact: true }).waitFor(),
  },
  { name: 'inbox', path: '/inbox' },
  { name: 'contract', path: `${table}?tab=contract` },
  {
    name: 'yaml',
    path: `${table}?tab=contract`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit as YAML' }).click()
      const editor = page.locator('.yaml textarea')
      await editor.fill((await editor.inputValue()).replace('logicalType: timestamp', 'logicalTyp: timestamp'))
      await page.getByText('1 problem').waitFor()
      await page.locator('.yaml').evaluate((element) => element.scrollTo(0, 0))
    },
  },
  {
    name: 'form',
    path: '/new/table?inKind=databaseSchema&in=shop_postgres.shop.orders',
    act: async (page) => {
      await page.getByLabel(/^Name required/).fill('gift::card')
      await page.getByRole('button', { name: 'Add a column' }).click()
      await page.getByLabel('Name of column 1').fill('gift_card_id')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('0/dataType').waitFor()
      await page.evaluate('scrollTo(0, 0)')
    },
  },
  {
    name: 'operate',
    path: '/operate',
    act: async (page) => {
      await page.getByRole('button', { name: 'New token' }).click()
      await page.getByLabel('Name of the program').fill('nightly-ingestion')
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
      await page.getByRole('button', { name: 'I have it' }).click()
      await page.getByRole('row', { name: /nightly-ingestion/ }).waitFor()
    },
  },
  { name: 'dark', path: `${table}?tab=history`, dark: true },
  { name: 'telephone', path: table, width: 390, height: 844 },
]

const take = async (served: Served, user: string): Promise<void> => {
  const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
  try {
    for (const { name, path, dark, width = 1360, height = 850, act } of pictures) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        locale: 'en-GB',
        reducedMotion: 'reduce',
      })
      await context.request.post(`${served.url}/api/v1/session`, { data: { token: served.token(user) } })
      const page = await context.newPage()
      await page.goto(served.url + path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await page.waitForLoadState('networkidle')
      await act?.(page)
      await page.waitForTimeout(500)
      await page.screenshot({ path: join(docs, `${name}.png`) })
      process.stdout.write(`${name}\n`)
      await context.close()
    }
  } finally {
    await browser.close()
  }
}

/** Tells the story in a folder of its own, each chapter on its day, and takes the pictures of `docs/pictures`. */
const main = async (): Promise<void> => {
  const folder = process.env['PICTURES_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'catalog-pictures-'))
  const begin = -58 * day
  const first = await serve(folder, begin)
  seed(folder, begin, first.url)
  await first.stop()
  for (const { daysAgo, acts } of chapters) {
    const served = await serve(folder, -daysAgo * day)
    await acts(served)
    if (daysAgo === 0) await take(served, 'greta_rossi')
    await served.stop()
  }
  animate(
    ['table', 'past', 'differences'].map((name) => join(docs, `${name}.png`)),
    2500,
    join(docs, 'moving.png'),
  )
  if (process.env['PICTURES_FOLDER'] === undefined) rmSync(folder, { recursive: true })
}

await main()
