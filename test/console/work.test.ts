import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { atThisPace } from '../support/processorTime.ts'
import { fillShop, must } from './shop.ts'
import { pages } from './stories/everybody.ts'
import { slower } from './stress.ts'
import { admin, complaintsOf, inBrowser } from './support.ts'

/** Tells how many milliseconds the main thread has worked for the document that a page shows: without what it waits for. */
const workOf = async (page: Page): Promise<() => Promise<number>> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return Math.round((metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000)
  }
}

inBrowser('the work of a browser', fillShop, (stage) => {
  it('no page takes its browser more than two seconds of processor time', async () => {
    const page = await stage.openAlone('/', admin)
    const worked = await workOf(page)
    for (const [, path, ready] of pages) {
      await page.goto(stage.service.url + path)
      await page.getByRole('heading', { name: ready }).first().waitFor()
      const work = await worked()
      expect(work, path).toBeGreaterThan(0)
      expect(work, path).toBeLessThan(atThisPace(2000) * slower)
    }
  })

  it('a lineage of a thousand assets is drawn without keeping the page from answering', async () => {
    const names = Array.from({ length: 999 }, (_, at) => `many_${at}`)
    const columns = [{ name: 'id', dataType: 'BIGINT' }]
    const tables = ['many', ...names].map((name) => ({ name, databaseSchema: 'shop.main.public', columns }))
    await must(stage.call('PUT', '/v1/tables/bulk', tables))
    const fqn = (name: string): string => `shop.main.public.${name}`
    const state = (down: string, up: readonly string[]) =>
      must(
        stage.call('PUT', `/v1/lineage/table/name/${fqn(down)}?source=dbt`, {
          edges: up.map((name) => ({ from: fqn(name) })),
        }),
      )
    await state('many', names.slice(0, 99))
    for (let at = 0; at < 100; at++) await state(names[at] as string, names.slice(99 + at * 9, 108 + at * 9))
    const page = await stage.open('/table/shop.main.public.many?tab=lineage', admin)
    await page.evaluate(`(() => {
      window.longest = 0
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
      }).observe({ type: 'longtask' })
    })()`)
    await page.getByText('1.000 assets').waitFor()
    const start = page.locator('[data-node]', { hasText: /^many/ }).first()
    await start.focus()
    const longest = (await page.evaluate('window.longest')) as number
    process.stderr.write(`a lineage of a thousand assets: the longest task ${longest.toFixed(0)} ms\n`)
    expect(await page.locator('.lineage-node').count()).toBeLessThan(300)
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('region', { name: 'Goes to' }).getByRole('link', { name: 'many', exact: true }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })
})
