import { expect, it } from 'vitest'
import { runCliAlongside, type Call } from '../support/service.ts'
import { paint, type Entries } from './paint.ts'
import { admin, inBrowser } from './support.ts'

/** The demo company. */
const company = async (_: Call, url: string, dataDir: string): Promise<void> =>
  expect(await runCliAlongside(dataDir, ['seed', '--url', url])).toMatchObject({ code: 0 })

/** A table of the company. */
const orderTable = '/table/shop_postgres.shop.orders.order'

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number

inBrowser('how soon pages of the seeded company are there', company, (stage) => {
  // How quick they are is told, and judged by people: a busy machine is not a failure.
  it.each([
    ['home', '/'],
    ['a search', '/search?q=order'],
    ['a table', orderTable],
    ['the history of a table', `${orderTable}?tab=history`],
    ['the list of tables', '/list/table'],
  ])('tells after how many milliseconds %s is there', async (name, path) => {
    const context = await stage.alone(admin)
    const first = await paint(context, stage.service.url + path)
    const again: Entries[] = []
    for (let turn = 0; turn < 5; turn++) again.push(await paint(context, stage.service.url + path))
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
