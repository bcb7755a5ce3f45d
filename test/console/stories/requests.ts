import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { tokenFor } from '../../support/service.ts'
import { must, patch, pathOf, tableFor } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'
import { seriousAtRest, usableByEverybody } from './everybody.ts'

const title = 'Undo what this request did?'

export const requests = (stage: Stage): void => {
  const descriptionOf = async (address: string): Promise<unknown> =>
    (await stage.call('GET', pathOf(address))).body.description

  /** Two tables whose descriptions bea changes as one request. */
  const twoChanged = async (one: string, other: string): Promise<{ addresses: string[]; id: string }> => {
    const first = { description: 'First words.' }
    const addresses = [await tableFor(stage.call, one, first), await tableFor(stage.call, other, first)]
    const words = { databaseSchema: 'shop.main.public', description: 'Words of bea.' }
    const bulk = [one, other].map((name) => ({ name, ...words }))
    const bea = { token: tokenFor('bea', ['Admin']) }
    const { headers } = await stage.call('PUT', '/v1/tables/bulk', bulk, bea)
    return { addresses, id: headers.get('x-request-id') as string }
  }

  const rowsOf = (page: Page) => page.getByRole('region', { name: 'What it did' }).locator('tbody tr')

  it('offers to undo a confirmation', async () => {
    const address = await tableFor(stage.call, 'right_still')
    const { id } = (await stage.call('GET', pathOf(address))).body
    const { headers } = await stage.call('PUT', `/v1/tables/${id}/confirm`, { confirmBy: '2030-01-01' })
    const page = await stage.open(`/requests/${headers.get('x-request-id')}`, admin)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 entity would be undone').waitFor()
  })

  it('leads from a change to all that its request did, and undoes that but for a conflict that it names', async () => {
    const { addresses, id } = await twoChanged('kept', 'moved')
    const [kept = '', moved = ''] = addresses
    await patch(stage.call, moved, { description: 'Words of carl.' }, tokenFor('carl', ['Admin']))
    const page = await stage.open(`${kept}?tab=history`, admin)
    const change = page.getByRole('listitem').filter({ hasText: 'bea changed description' })
    await change.getByRole('link', { name: 'the whole request' }).click()
    await page.waitForURL(`**/requests/${id}`)
    const row = rowsOf(page).filter({ hasText: 'shop.main.public.moved' })
    await expect.poll(() => row.innerText()).toMatch(/Updated[\s\S]*description[\s\S]*bea/i)
    const link = rowsOf(page).getByRole('link', { name: 'shop.main.public.kept' })
    await expect.poll(() => link.getAttribute('href')).toBe(kept)

    await page.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog', { name: title })
    const would = (name: string) => dialog.getByRole('row').filter({ hasText: name })
    await would('public.kept').getByText('Gets back: description').waitFor()
    await expect.poll(() => would('public.moved').innerText()).toMatch(/conflict[\s\S]*description[\s\S]*carl/)
    await seriousAtRest(page)
    expect(await descriptionOf(kept)).toBe('Words of bea.')
    await dialog.getByRole('button', { name: 'Undo the other 1 entity' }).click()
    await page.getByText('1 entity undone, 1 entity left out').waitFor()
    await dialog.waitFor({ state: 'detached' })
    expect([await descriptionOf(kept), await descriptionOf(moved)]).toEqual(['First words.', 'Words of carl.'])
    expect(complaintsOf(page)).toEqual([])
  })

  it('writes nothing when somebody was quicker than the button, and shows what would happen now', async () => {
    const { addresses, id } = await twoChanged('quick', 'slow')
    const [quick = '', slow = ''] = addresses
    const page = await stage.open(`/requests/${id}`, admin)
    await page.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.getByText('2 entities would be undone').waitFor()
    await patch(stage.call, slow, { description: 'Words of carl.' }, tokenFor('carl', ['Admin']))
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
    await dialog.getByRole('alert').getByText('table shop.main.public.slow: Changed again since: description').waitFor()
    await dialog.getByRole('button', { name: 'Undo the other 1 entity' }).waitFor()
    expect([await descriptionOf(quick), await descriptionOf(slow)]).toEqual(['Words of bea.', 'Words of carl.'])
  })

  it('restores from the activity all that a recursive deletion took along, page after page', async () => {
    const columns = [{ name: 'id', dataType: 'BIGINT' }]
    await must(stage.call('PUT', '/v1/databaseSchemas', { name: 'wide', database: 'shop.main' }))
    const tables = Array.from({ length: 130 }, (_, at) => ({
      name: `t${at}`,
      databaseSchema: 'shop.main.wide',
      columns,
    }))
    await must(stage.call('PUT', '/v1/tables/bulk', tables))
    const dora = { token: tokenFor('dora', ['Admin']) }
    await must(stage.call('DELETE', '/v1/databaseSchemas/name/shop.main.wide?recursive=true', undefined, dora))
    const page = await stage.open('/activity?user=dora&kind=databaseSchema', admin)
    await page.getByRole('link', { name: 'the whole request' }).click()
    await rowsOf(page).first().waitFor()
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 100_000)
        return rowsOf(page).count()
      })
      .toBeGreaterThan(130)
    await page.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.getByText('131 entities would be undone').waitFor()
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('131 entities undone').waitFor()
    expect((await stage.call('GET', '/v1/tables/name/shop.main.wide.t129')).status).toBe(200)
  })

  it('offers the undo only to who may, and shows requests only to who may see what others do', async () => {
    const { id } = await twoChanged('seen', 'alike')
    const auditor = await stage.open(`/requests/${id}`, ['vera', 'Auditor'])
    await rowsOf(auditor).nth(1).waitFor()
    await usableByEverybody(auditor)
    expect(await auditor.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    const consumer = await stage.open(`/requests/${id}`, ['other', 'DataConsumer'])
    await consumer.getByRole('heading', { name: 'Your roles do not allow you to see activity' }).waitFor()
  })
}
