import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../support/folders.ts'
import { must, pathOf, tableFor } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'

const namesOf = (page: Page): Promise<string[]> => page.locator('.list-scroll .list-name').allTextContents()

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })

/** Lists that are worked with: narrowed, sorted, changed together, taken to a spreadsheet and back. */
export const lists = (stage: Stage): void => {
  const read = (address: string) => must(stage.call('GET', `${pathOf(address)}?fields=owners,tags,domains`))

  it('are narrowed by words and facets, sorted, and have the columns that are wanted, all in their address', async () => {
    await tableFor(stage.call, 'list_a', { description: 'Wombats by burrow.', displayName: 'Zulu' })
    await tableFor(stage.call, 'list_b', { description: 'Wombats by year.', owners: ['ann'] })
    const page = await stage.open('/list/table', admin)
    await page.getByRole('searchbox', { name: 'Filter by words' }).fill('wombat')
    await page.waitForURL(/q=wombat/)
    await expect.poll(() => namesOf(page)).toHaveLength(2)
    await page.getByRole('button', { name: 'Name', exact: true }).press('Enter')
    await page.waitForURL(/sort=name/)
    await expect.poll(() => namesOf(page)).toEqual(['Zulu', 'list_b'])
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page.waitForURL(/order=desc/)
    await expect.poll(() => namesOf(page)).toEqual(['list_b', 'Zulu'])
    await page.getByRole('button', { name: 'Filters', exact: true }).press('Enter')
    await page.getByRole('checkbox', { name: 'Ann Archer 1' }).press('Space')
    await expect.poll(() => namesOf(page)).toEqual(['list_b'])
    await page.getByRole('button', { name: 'Choose columns' }).press('Enter')
    await page.getByRole('checkbox', { name: 'Version' }).press('Space')
    await page.getByRole('columnheader', { name: 'Version' }).waitFor()
    const again = await stage.open(page.url().replace(stage.service.url, ''), admin)
    await again.getByRole('columnheader', { name: 'Version' }).waitFor()
    await expect.poll(() => namesOf(again)).toEqual(['list_b'])
    expect([...complaintsOf(page), ...complaintsOf(again)]).toEqual([])
  })

  it('offer themselves unsorted where they are too long to be sorted', async () => {
    await tableFor(stage.call, 'list_long', { description: 'Dunnarts.' })
    const page = await stage.open('/list/table?described=true', admin)
    const message = '?described matches 20000 entities: lists of at most 10000 can be searched or sorted'
    await page.route(/\/v1\/tables\?.*sort=/, (route) =>
      route.fulfill({ status: 400, json: { code: 'BAD_REQUEST', message } }),
    )
    await page.getByRole('button', { name: 'Name', exact: true }).press('Enter')
    await page.getByText(message).waitFor()
    await page.getByRole('button', { name: 'Show without sorting' }).press('Enter')
    await expect.poll(() => namesOf(page)).toContain('list_long')
    expect(page.url()).not.toContain('sort=')
  })

  it('change what is selected after a preview, and take it back whole', async () => {
    const one = await tableFor(stage.call, 'many_a', { description: 'Quokka one.', tags: ['Privacy.Personal'] })
    const two = await tableFor(stage.call, 'many_b', { description: 'Quokka two.' })
    const page = await stage.open('/list/table?q=quokka', admin)
    await page.getByRole('checkbox', { name: 'Select many_a' }).press('Space')
    await page.getByText('1 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select all 2' }).press('Space')
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Change…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change 2 tables' })
    await dialog.getByLabel('What to do with owners').selectOption('add')
    const owners = dialog.getByRole('combobox', { name: 'Owners', exact: true })
    await owners.fill('Ann Archer')
    const choices = dialog.getByRole('listbox', { name: 'Choices for Owners' }).getByRole('option')
    await expect.poll(() => choices.allTextContents()).toEqual([expect.stringContaining('Ann Archer')])
    await owners.press('ArrowDown')
    await owners.press('Enter')
    await dialog.getByLabel('What to do with tags').selectOption('set')
    await dialog.getByRole('button', { name: 'Preview' }).press('Enter')
    await preview(page).getByText('Owners nothing → ann').first().waitFor()
    await preview(page).getByText('Tags Privacy.Personal → nothing').waitFor()
    expect((await read(one))['owners']).toEqual([])
    await dialog.getByRole('button', { name: 'Change 2 entities' }).press('Enter')
    await dialog.getByText('2 entities changed.').waitFor()
    expect(await Promise.all([one, two].map(read))).toMatchObject([
      { owners: [{ name: 'ann' }] },
      { owners: [{ name: 'ann' }] },
    ])
    await dialog.getByRole('button', { name: 'Take back' }).press('Enter')
    await page
      .getByRole('dialog', { name: 'Take back what this request did?' })
      .getByRole('button', { name: 'Take back' })
      .press('Enter')
    await page.getByText('2 entities taken back').waitFor()
    expect(await read(one)).toMatchObject({ tags: [{ tagFQN: 'Privacy.Personal' }] })
    expect((await read(two))['owners']).toEqual([])
    expect(complaintsOf(page)).toEqual([])
  })

  it('go to a spreadsheet and come back, with every change, conflict and error shown before it is made', async () => {
    const folder = await temporaryFolder()
    const one = await tableFor(stage.call, 'sheet_a', { description: 'Numbat one.' })
    const two = await tableFor(stage.call, 'sheet_b', { description: 'Numbat two.' })
    const page = await stage.open('/list/table?q=numbat', admin)
    await expect.poll(() => namesOf(page)).toHaveLength(2)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ])
    const path = join(folder, 'sheet.csv')
    await download.saveAs(path)
    const text = await readFile(path, 'utf8')
    expect(text.slice(0, 1)).toBe('\uFEFF')
    await must(
      stage.call(
        'PATCH',
        pathOf(two),
        { description: 'Numbat changed.' },
        {
          headers: { 'content-type': 'application/merge-patch+json' },
        },
      ),
    )
    await writeFile(path, text.replace('Numbat one.', '"Numbat; edited"').replace('Numbat two.', 'Mine'))
    await page.getByLabel('CSV file').setInputFiles(path)
    const dialog = page.getByRole('dialog', { name: 'Import sheet.csv' })
    await preview(page).getByText('Description Numbat one. → Numbat; edited').waitFor()
    await preview(page)
      .getByText(/at version 0\.2, changed by/)
      .waitFor()
    await dialog.getByRole('button', { name: 'Change 1 entity' }).press('Enter')
    await dialog.getByText(/^1 entity changed; 1 entity refused/).waitFor()
    expect(await Promise.all([one, two].map(read))).toMatchObject([
      { description: 'Numbat; edited' },
      { description: 'Numbat changed.' },
    ])
    expect(complaintsOf(page)).toEqual([])
  })

  it('are reached from the sidebar, with the columns of their kind', async () => {
    const page = await stage.open('/', admin)
    const nav = page.getByRole('navigation', { name: 'Lists' })
    await nav.getByRole('link', { name: 'Teams' }).press('Enter')
    await page.waitForURL('**/list/team')
    await expect.poll(() => namesOf(page)).toEqual(['Sales team'])
    await nav.getByText('All lists').click()
    await nav.getByRole('link', { name: 'Test definitions' }).press('Enter')
    await page.waitForURL('**/list/testDefinition')
    const reader = await stage.open('/list/table', ['olga', 'DataConsumer'])
    await expect.poll(async () => (await namesOf(reader)).length).toBeGreaterThan(0)
    expect(await reader.getByRole('checkbox', { name: /^Select/ }).count()).toBe(0)
    expect(await reader.getByRole('button', { name: 'Import' }).count()).toBe(0)
  })
}
