import { expect, it } from 'vitest'
import { must, nextMoment, patch, pathOf, tableFor } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'

/** Address of the page that shows where the data of a table comes from. */
const pageOf = (address: string): string => `${address}?tab=lineage`

const fqnOf = (address: string): string => address.replace('/table/', '')

export const lineage = (stage: Stage): void => {
  const state = (down: string, edges: readonly object[], source = 'dbt') =>
    must(stage.call('PUT', `/v1/lineage/table/name/${fqnOf(down)}?source=${source}`, { edges }))

  it('draws what an asset comes from and goes to, by keyboard, with the columns that it names', async () => {
    const [raw, daily, report] = await Promise.all(
      ['l_raw', 'l_daily', 'l_report'].map((name) => tableFor(stage.call, name)),
    )
    if (!raw || !daily || !report) throw new Error('There are three tables.')
    const columns = [{ from: ['order_id', 'placed_at'], to: 'customer_id' }]
    await state(daily, [{ from: fqnOf(raw), sql: 'select * from l_raw', columns }])
    await state(report, [{ from: fqnOf(daily) }])
    const page = await stage.open(pageOf(daily), admin)
    const node = (name: string) => page.locator('[data-node]', { hasText: name })
    await node('l_raw').waitFor()
    expect(await page.locator('.lineage-drawing > svg path').count()).toBe(2)
    const places = await Promise.all(
      ['l_raw', 'l_daily', 'l_report'].map(async (name) => (await node(name).boundingBox())?.x),
    )
    expect(places).toEqual(places.toSorted((a = 0, b = 0) => a - b))
    const [head, box] = await Promise.all(
      ['.lineage-head', '.lineage-node'].map((part) =>
        page
          .locator(part)
          .filter({ hasText: 'l_daily' })
          .evaluate((each) => each.clientWidth),
      ),
    )
    expect(head).toBe(box)
    await node('l_daily').focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => node('l_raw').evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true)
    await page.keyboard.press('Space')
    await page.getByRole('listitem').filter({ hasText: 'placed_at' }).waitFor()
    await expect.poll(() => page.locator('.lineage-drawing > svg path').count()).toBe(4)
    const goesTo = page.getByRole('region', { name: 'Goes to' })
    await goesTo.getByText('Statement').click()
    await goesTo.getByText('select * from l_raw').waitFor()
    await node('l_raw').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'l_raw', level: 1 }).waitFor()
    await node('l_report').waitFor()
    await page.goto(`${stage.service.url}/list/lineage`)
    await page.getByRole('link', { name: 'Lineage of l_report' }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('draws what goes in a circle within the picture, below its buttons', async () => {
    const [one, other] = await Promise.all(['c_one', 'c_other'].map((name) => tableFor(stage.call, name)))
    if (!one || !other) throw new Error('There are two tables.')
    await state(one, [{ from: fqnOf(other) }])
    await state(other, [{ from: fqnOf(one) }])
    const page = await stage.open(pageOf(one), admin)
    await page.locator('[data-node]').nth(1).waitFor()
    const beyond = await page.evaluate(`(() => {
      const box = (element) => element.getBoundingClientRect()
      const svg = document.querySelector('.lineage-drawing > svg')
      const paths = [...svg.querySelectorAll('path')].map(box)
      return paths.filter(({ left, right }) => left < box(svg).left || right > box(svg).right).length
    })()`)
    expect(beyond).toBe(0)
    const [button, node] = await Promise.all(
      ['[aria-label="Zoom in"]', '.lineage-node'].map((each) => page.locator(each).first().boundingBox()),
    )
    expect((button?.y ?? Infinity) + (button?.height ?? 0)).toBeLessThan(node?.y ?? 0)
  })

  it('draws the first edge and another by hand, takes that away, and leaves others alone', async () => {
    const [target, first, second] = await Promise.all(
      ['h_target', 'h_first', 'h_second'].map((name) => tableFor(stage.call, name)),
    )
    if (!target || !first || !second) throw new Error('There are three tables.')
    const page = await stage.open(pageOf(target), admin)
    const draw = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Draw an edge' }).click()
      await page.getByRole('combobox', { name: 'The other asset' }).fill(name)
      await page.getByRole('option', { name: new RegExp(name) }).click()
      await page.getByRole('button', { name: 'Draw', exact: true }).click()
      await page.getByRole('region', { name: 'Comes from' }).getByRole('link', { name }).waitFor()
    }
    await draw('h_first')
    await state(target, [{ from: fqnOf(first), description: 'by hand' }], 'manual')
    await page.reload()
    await draw('h_second')
    await page.getByRole('button', { name: 'Draw an edge' }).click()
    await page.getByRole('combobox', { name: 'The other asset' }).fill('h_first')
    await page.getByRole('option', { name: /h_first/ }).click()
    await page.getByRole('button', { name: 'Draw', exact: true }).click()
    await page.getByRole('dialog').getByText('This edge is drawn by hand already.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    const comesFrom = page.getByRole('region', { name: 'Comes from' })
    await comesFrom.getByText('by hand').waitFor()
    const drawn = comesFrom.getByRole('listitem').filter({ hasText: 'h_second' })
    await drawn.getByRole('button', { name: 'Remove the edge' }).click()
    await drawn.waitFor({ state: 'detached' })
    await comesFrom.getByRole('link', { name: 'h_first' }).waitFor()
    const { edges } = await must(stage.call('GET', `/v1/lineage/table/name/${fqnOf(target)}`))
    expect(edges).toMatchObject([{ description: 'by hand', source: 'manual' }])
    expect(complaintsOf(page)).toEqual([])
  })

  it('shows the lineage of a moment, and in colours what changed since', async () => {
    const [target, before, later] = await Promise.all(
      ['t_target', 't_before', 't_later'].map((name) => tableFor(stage.call, name)),
    )
    if (!target || !before || !later) throw new Error('There are three tables.')
    await state(target, [{ from: fqnOf(before) }])
    const moment = Date.now()
    await nextMoment(moment)
    await state(target, [{ from: fqnOf(later) }])
    const asOf = encodeURIComponent(new Date(moment).toISOString())
    const page = await stage.open(`${pageOf(target)}&asOf=${asOf}`, ['other', 'DataConsumer'])
    await page.locator('[data-node]', { hasText: 't_before' }).waitFor()
    expect(await page.locator('[data-node]', { hasText: 't_later' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Draw an edge' }).count()).toBe(0)
    await page.getByLabel('What changed since').check()
    await page.locator('[data-node]', { hasText: 't_later' }).waitFor()
    await expect.poll(() => page.locator('path.added').count()).toBe(1)
    expect(await page.locator('path.removed').count()).toBe(1)
    const slider = page.getByRole('slider', { name: 'The end of a day' })
    await slider.press('End')
    await page.waitForURL((url) => !url.searchParams.has('asOf'))
    await expect.poll(() => page.locator('[data-node]', { hasText: 't_before' }).count()).toBe(0)
    expect(complaintsOf(page)).toEqual([])
  })

  it('tells what going back to a version breaks, before it is done', async () => {
    const [source, reader] = await Promise.all(['i_source', 'i_reader'].map((name) => tableFor(stage.call, name)))
    if (!source || !reader) throw new Error('There are two tables.')
    const { columns } = await must(stage.call('GET', pathOf(source)))
    await patch(stage.call, source, {
      columns: [...(columns as unknown as object[]), { name: 'total', dataType: 'INT' }],
    })
    await state(reader, [{ from: fqnOf(source), columns: [{ from: ['total'], to: 'customer_id' }] }])
    const page = await stage.open(`${source}?asOf=0.1`, admin)
    await page.getByRole('button', { name: 'Revert to this' }).click()
    const told = page.getByRole('dialog').getByRole('region', { name: 'What this breaks' })
    await told.getByText('total goes').waitFor()
    await told.getByRole('listitem').filter({ hasText: 'i_reader' }).getByText('customer_id').waitFor()
    expect(complaintsOf(page)).toEqual([])
  })
}
