import { expect, it } from 'vitest'
import { tokenFor } from '../../support/service.ts'
import { awayFromMidnight, must, nextMoment, patch, pathOf, tableFor, timeZone } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'

export const time = (stage: Stage): void => {
  const make = async (name: string): Promise<string> => {
    const address = await tableFor(stage.call, name, { description: 'First words about it.' })
    const bea = tokenFor('bea', ['Admin'])
    await patch(stage.call, address, { description: 'Second words about it.' }, bea)
    const { columns } = (await stage.call('GET', pathOf(address))).body
    const changed = [...columns.slice(1), { name: 'total', dataType: 'DECIMAL', constraint: 'NOT_NULL' }]
    await patch(stage.call, address, { columns: changed, tags: ['Privacy.Personal'] }, tokenFor('carl', ['Admin']))
    return address
  }

  it('begins with what is newest, and goes as far back as the page shows', async () => {
    const address = await tableFor(stage.call, 'long_lived')
    for (const description of ['one', 'two', 'three', 'four']) await patch(stage.call, address, { description })
    const page = await stage.open('/', admin)
    await page.route('**/history?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=200', 'limit=2') }),
    )
    await page.goto(stage.service.url + address)
    const slider = page.getByRole('slider', { name: 'Moment in its history' })
    await page.getByText(/^earlier …/).waitFor()
    expect(await slider.getAttribute('max')).toBe('2')
    await page.goto(`${stage.service.url}${address}?asOf=0.1`)
    await expect.poll(() => slider.getAttribute('max')).toBe('5')
    await page.getByRole('button', { name: 'The change before', disabled: true }).waitFor()
  })

  it('walks along the life of an entity, and each moment has an address', async () => {
    const address = await make('aged')
    const page = await stage.open(address, admin)
    const slider = page.getByRole('slider', { name: 'Moment in its history' })
    await slider.focus()
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('now')
    // The second step comes before the page shows where the first one led.
    await page.evaluate(`for (const slider of Array(2).fill(document.querySelector('[type=range]'))) {
      slider.stepDown()
      slider.dispatchEvent(new Event('input', { bubbles: true }))
    }`)
    await page.getByRole('row', { name: /order_id/ }).waitFor()
    const said = () => slider.getAttribute('aria-valuetext')
    await expect.poll(said).toMatch(/version 0\.2: bea changed description/)
    await slider.press('Home')
    await page.getByText('First words about it.').waitFor()
    expect(await page.getByRole('button', { name: 'Edit the description', exact: true }).count()).toBe(0)

    const shared = await stage.open(page.url().replace(stage.service.url, ''), ['other', 'DataConsumer'])
    await shared.getByText('First words about it.').waitFor()
    await shared.getByText('As it was at position').waitFor()
    await shared.getByRole('button', { name: 'Back to now' }).click()
    await shared.getByText('Second words about it.').waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('names a position of the log where it shows what nobody changed there, and no other time', async () => {
    const address = await make('older')
    const newer = await make('newer')
    const { id } = (await stage.call('GET', pathOf(newer))).body
    const history = await stage.call('GET', `/v1/tables/${id}/history`)
    const position: string = history.body.data[0].position
    const page = await stage.open(`${address}?asOf=${position}`, admin)
    await page.getByText(`As it was at position ${position} of the log, unchanged since `).waitFor()
    await page.getByRole('link', { name: 'Lineage' }).click()
    const days = page.getByRole('slider', { name: 'The end of a day' })
    await expect.poll(() => days.getAttribute('aria-valuetext')).toBe(`Position ${position} of the log`)
    await page.goto(`${stage.service.url}${newer}?asOf=${position}`)
    await page.getByText('As it was on').waitFor()
  })

  it('shows the end of a day from the calendar, and says when nothing was there yet', async () => {
    await awayFromMidnight()
    const address = await make('dated')
    const page = await stage.open(address, admin)
    await page.getByRole('button', { name: 'Choose a day' }).click()
    await page.getByRole('button', { name: /, 3 changes$/ }).click()
    await page.waitForURL(/asOf=\d{4}-\d\d-\d\dT/)
    await page.getByText('As it was on').waitFor()
    await page.goto(`${stage.service.url}${address}?asOf=2001-01-01T00:00:00Z`)
    await page.getByRole('heading', { name: 'It did not exist then' }).waitFor()
  })

  it('shows the days of earlier weeks in the calendar', async () => {
    const address = await make('dated_earlier')
    const earlier = (time: number | string) => new Date(new Date(time).getTime() - 7 * 86_400_000)
    const page = await stage.open('/', admin)
    await page.route('**/history?*', async (route) => {
      const response = await route.fetch()
      const { data, ...rest } = (await response.json()) as { data: { time: string }[] }
      await route.fulfill({
        response,
        json: { ...rest, data: data.map((one) => ({ ...one, time: earlier(one.time) })) },
      })
    })
    await awayFromMidnight()
    await page.goto(stage.service.url + address)
    const dayOf = (time: Date) => time.toLocaleDateString('sv', { timeZone })
    const [day, today] = [dayOf(earlier(Date.now())), dayOf(new Date())]
    await page.getByRole('button', { name: 'Choose a day' }).click()
    if (day.slice(0, 7) !== today.slice(0, 7)) await page.getByRole('button', { name: 'The month before' }).click()
    await page.getByRole('button', { name: /, 3 changes$/ }).click()
    await page.waitForURL((url) => url.searchParams.get('asOf')?.startsWith(`${day}T`) === true)
  })

  it('shows the present where a moment has not come yet, and leads to it where a moment is none', async () => {
    const address = await make('coming')
    const page = await stage.open(`${address}?asOf=2099-01-01T00:00:00Z`, admin)
    await page.getByText('This moment has not come yet').waitFor()
    await page.waitForURL((url) => url.search === '')
    await page.getByText('Second words about it.').waitFor()
    await page.goto(`${stage.service.url}${address}?asOf=never`)
    await page.getByRole('button', { name: 'Show the present' }).click()
    await page.getByText('Second words about it.').waitFor()
  })

  it('leads to the history of what was deleted for good, which has no present', async () => {
    const address = await make('gone')
    await must(stage.call('DELETE', `${pathOf(address)}?hardDelete=true`))
    const page = await stage.open(address, admin)
    await page.getByRole('heading', { name: 'It was deleted for good' }).waitFor()
    await page.getByRole('button', { name: 'Show its history' }).click()
    await page.getByRole('listitem').filter({ hasText: 'admin created it' }).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Compare', exact: true, disabled: true }).waitFor()
    const end = page.getByRole('listitem').filter({ hasText: 'deleted it for good' })
    expect(await end.getByRole('button', { name: /View|What changed/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Second words about it.').waitFor()
    expect(await page.getByRole('button', { name: /Revert to this|Compare with now/ }).count()).toBe(0)
    expect(complaintsOf(page)).toEqual([])
  })

  it('shows a list and the tree as they were, under an address, and leads back to now', async () => {
    const put = (path: string, body: unknown) => stage.call('PUT', `/v1/${path}`, body)
    await put('services/databaseServices', { name: 'before', serviceType: 'Postgres' })
    await put('databases', { name: 'inner', service: 'before' })
    const { updatedAt } = (await stage.call('GET', '/v1/databases/name/before.inner')).body
    await nextMoment(updatedAt)
    await put('databases', { name: 'later', service: 'before' })
    await stage.call('DELETE', '/v1/databases/name/before.inner')
    const page = await stage.open('/list/database', admin)
    const rows = page.getByRole('table', { name: 'Databases' })
    await rows.getByRole('link', { name: 'later' }).waitFor()
    expect(await rows.getByRole('link', { name: 'inner' }).count()).toBe(0)

    const asOf = encodeURIComponent(new Date(updatedAt).toISOString())
    await page.goto(`${stage.service.url}/list/database?asOf=${asOf}`)
    await rows.getByRole('link', { name: 'inner' }).waitFor()
    expect(await rows.getByRole('link', { name: 'later' }).count()).toBe(0)
    const tree = page.getByRole('tree')
    await tree.getByText('Databases', { exact: true }).click()
    const service = tree.getByRole('treeitem').filter({ has: page.getByRole('link', { name: 'before', exact: true }) })
    await service.last().locator('button.twisty').first().click()
    await tree.getByRole('link', { name: 'inner', exact: true }).click()
    await page.getByText('As it was on').waitFor()
    await page.waitForURL((url) => url.searchParams.get('asOf') === new Date(updatedAt).toISOString())

    const shared = await stage.open(`/list/database?asOf=${asOf}`, ['other', 'DataConsumer'])
    await shared.getByRole('link', { name: 'inner' }).first().waitFor()
    await shared.getByRole('button', { name: 'Back to now' }).click()
    await shared.getByRole('table', { name: 'Databases' }).getByRole('link', { name: 'later' }).waitFor()
    await shared.getByLabel('As of').fill('2001-01-01T00:00')
    await shared.getByRole('heading', { name: 'There was no database then' }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('shows a list as it was at a moment that is written with the keyboard', async () => {
    const page = await stage.open('/list/table?asOf=2001-02-03T09:06:32.000Z', admin)
    await page.getByRole('heading', { name: 'There was no table then' }).waitFor()
    await page.getByLabel('As of').focus()
    const goesTo = (asOf: string) => page.waitForURL((url) => url.searchParams.get('asOf') === asOf)
    // Day and month, whichever comes first here, and then the year.
    for (const key of '1010') await page.keyboard.press(key)
    await goesTo('2001-10-10T08:06:00.000Z')
    for (const key of '2024') await page.keyboard.press(key)
    await goesTo('2024-10-10T08:06:00.000Z')
    expect(await page.getByLabel('As of').inputValue()).toBe('2024-10-10T10:06')
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page.waitForURL((url) => url.search === '')
    await expect.poll(() => page.getByLabel('As of').inputValue()).toBe('')
    expect(complaintsOf(page)).toEqual([])
  })

  it('compares no life with the end of the one before', async () => {
    const address = await make('again')
    await must(stage.call('DELETE', `${pathOf(address)}?hardDelete=true`))
    await make('again')
    const page = await stage.open(`${address}?tab=history`, admin)
    const row = (text: string) => page.getByRole('listitem').filter({ hasText: text })
    await expect.poll(() => row('admin created it').count()).toBe(2)
    expect(await row('admin created it').getByRole('button', { name: 'What changed' }).count()).toBe(0)
    expect(await row('bea changed').getByRole('button', { name: 'What changed' }).count()).toBe(2)
  })

  it('tells who did what, and what was different, word by word and column by column', async () => {
    const address = await make('compared')
    const page = await stage.open(`${address}?tab=history`, admin)
    const row = (text: string) => page.getByRole('listitem').filter({ hasText: text })
    await row('carl changed').getByRole('button', { name: 'What changed' }).click()
    await row('carl changed').getByRole('img', { name: 'removed' }).first().waitFor()
    await row('admin created it').getByRole('checkbox').check()
    await row('carl changed').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.waitForURL(/from=/)
    await page.locator('del').first().waitFor()
    await expect.poll(() => page.locator('del').allTextContents()).toEqual(['First'])
    await expect.poll(() => page.locator('ins').allTextContents()).toEqual(['Second'])
    const columns = page.getByRole('region', { name: 'Columns' })
    await columns.locator('.removed', { hasText: 'order_id' }).waitFor()
    await columns.locator('.added', { hasText: /total.*NOT_NULL/s }).waitFor()
    await page.getByRole('region', { name: 'Tags' }).locator('.added', { hasText: 'Privacy.Personal' }).waitFor()
    expect(await page.getByText('Updated at').count()).toBe(0)
  })

  it('previews a revert as it will be: without what was erased or deleted for good', async () => {
    await must(stage.call('PUT', '/v1/users', { name: 'leaver' }))
    const owners = [{ type: 'user', fullyQualifiedName: 'leaver' }]
    const address = await tableFor(stage.call, 'left', { description: 'First words.', owners })
    await patch(stage.call, address, { description: 'Second words.', owners: [] })
    await must(stage.call('DELETE', '/v1/users/name/leaver?hardDelete=true'))
    const page = await stage.open(`${address}?asOf=0.1`, admin)
    await page.getByRole('button', { name: 'Revert to this' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revert to version 0.1?' })
    await dialog.getByText('but for owners: something named there has been deleted for good').waitFor()
    await dialog.locator('ins', { hasText: 'First' }).waitFor()
    expect(await dialog.getByText('leaver').count()).toBe(0)
  })

  it('goes back to a version or deletes after a look at what that changes, and what somebody has changed meanwhile', async () => {
    const address = await make('reverted_late')
    const page = await stage.open(`${address}?asOf=0.1`, admin)
    await page.getByRole('button', { name: 'Revert to this' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revert to version 0.1?' })
    await dialog.locator('.added', { hasText: 'order_id' }).waitFor()
    await dialog.locator('ins', { hasText: 'First' }).waitFor()
    expect((await stage.call('GET', pathOf(address))).body.description).toBe('Second words about it.')
    await patch(stage.call, address, { description: 'Third words.' })
    await dialog.getByRole('button', { name: 'Revert' }).click()
    await dialog.getByText('Somebody has changed this meanwhile.').waitFor()
    await dialog.locator('del', { hasText: 'Third' }).waitFor()
    await dialog.getByRole('button', { name: 'Revert' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.waitForURL((url) => url.search === '')
    await page.getByText('First words about it.').waitFor()
    const { description, columns } = (await stage.call('GET', pathOf(address))).body
    expect([description, columns[0].name]).toEqual(['First words about it.', 'order_id'])
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name: 'Delete …' }).click()
    await patch(stage.call, address, { description: 'Fourth words.' })
    const remove = page.getByRole('dialog', { name: /^Delete/ })
    await remove.getByRole('button', { name: 'Delete', exact: true }).click()
    await remove.getByText('Somebody has changed this meanwhile.').waitFor()
    await page.getByText('Fourth words.').waitFor()
    await remove.getByRole('button', { name: 'Delete', exact: true }).click()
    await remove.waitFor({ state: 'detached' })
  })
}
