import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../support/folders.ts'
import { must, patch, pathOf, tableFor } from '../shop.ts'
import { admin, complaintsOf, held, type Stage } from '../support.ts'

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
    await page.getByRole('radio', { name: 'Ann Archer 1' }).press('Space')
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
    const message = '?described: matches 20000 entities, and at most 10000 can be searched or sorted with it'
    await page.route(/\/v1\/tables\?.*sort=/, (route) =>
      route.fulfill({ status: 400, json: { code: 'BAD_REQUEST', message } }),
    )
    await page.getByRole('button', { name: 'Name', exact: true }).press('Enter')
    await page.getByText(message).waitFor()
    await page.getByRole('button', { name: 'Show without sorting' }).press('Enter')
    await expect.poll(() => namesOf(page)).not.toEqual([])
    expect(page.url()).not.toContain('sort=')
  })

  it('change what is selected after a preview, and undo it as a whole', async () => {
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
    const later = await tableFor(stage.call, 'quokka_c', { description: 'Quokka three.' })
    await dialog.getByRole('button', { name: 'Change 2 entities' }).press('Enter')
    await dialog.getByText('2 entities changed.').waitFor()
    expect(await Promise.all([one, two].map(read))).toMatchObject([
      { owners: [{ name: 'ann' }] },
      { owners: [{ name: 'ann' }] },
    ])
    expect((await read(later))['owners']).toEqual([])
    await dialog.getByRole('button', { name: 'Undo' }).press('Enter')
    const undoRequest = page
      .getByRole('dialog', { name: 'Undo what this request did?' })
      .getByRole('button', { name: 'Undo' })
    await expect.poll(() => undoRequest.isEnabled()).toBe(true)
    await undoRequest.press('Enter')
    await page.getByText('2 entities undone').waitFor()
    expect(await read(one)).toMatchObject({ tags: [{ tagFQN: 'Privacy.Personal' }] })
    expect((await read(two))['owners']).toEqual([])
    expect(complaintsOf(page)).toEqual([])
  })

  it('change everything but what is taken away again, however much of it was scrolled to', async () => {
    for (const name of ['numb_a', 'numb_b', 'numb_c', 'numb_d'])
      await tableFor(stage.call, name, { description: 'Dugong.' })
    const page = await stage.open('/', admin)
    await page.route('**/v1/tables?*', (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, 'limit=2'),
      }),
    )
    const further = await held(page, '**/v1/tables?*after=*')
    await page.goto(`${stage.service.url}/list/table?q=dugong&sort=name`)
    await page.getByRole('checkbox', { name: 'Select all 4' }).press('Space')
    await page.getByRole('checkbox', { name: 'Select numb_a' }).press('Space')
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Change…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change 3 tables' })
    await dialog.getByRole('checkbox', { name: 'Replace the description' }).check()
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Dugong no more.')
    await dialog.getByRole('button', { name: 'Preview' }).press('Enter')
    await preview(page).getByText('numb_d').waitFor()
    expect(await preview(page).getByText('numb_a').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Change 3 entities' }).press('Enter')
    await dialog.getByText('3 entities changed.').waitFor()
    expect(await read('/table/shop.main.public.numb_a')).toMatchObject({ description: 'Dugong.' })
    expect(await read('/table/shop.main.public.numb_d')).toMatchObject({ description: 'Dugong no more.' })
    further.release()
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
    await patch(stage.call, two, { description: 'Numbat changed.' })
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

  it('change nothing that somebody wrote after the preview, and say so', async () => {
    const [one, two] = await Promise.all(
      ['seen_a', 'seen_b'].map((name) => tableFor(stage.call, name, { description: 'Bilby.' })),
    )
    if (!one || !two) throw new Error('There are two tables.')
    const page = await stage.open('/list/table?q=bilby', admin)
    await page.getByRole('checkbox', { name: 'Select all 2' }).press('Space')
    await page.getByRole('button', { name: 'Change…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change 2 tables' })
    await dialog.getByRole('checkbox', { name: 'Replace the description' }).check()
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Mine, of a bilby.')
    await dialog.getByRole('button', { name: 'Preview' }).press('Enter')
    const change = dialog.getByRole('button', { name: 'Change 2 entities' })
    await change.waitFor()
    await patch(stage.call, one, { description: 'Theirs, of a bilby.' })
    await change.press('Enter')
    await dialog.getByText('1 entity changed; 1 entity refused.').waitFor()
    await dialog.getByText(/changed after the preview/).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const descriptions = async () => (await Promise.all([one, two].map(read))).map((each) => each['description'])
    expect(await descriptions()).toEqual(['Theirs, of a bilby.', 'Mine, of a bilby.'])

    const rows = ['Theirs, of a bilby.', 'From the sheet.'].map(
      (text, at) => `shop.main.public.seen_${'ab'[at]},"${text}"`,
    )
    const path = join(await temporaryFolder(), 'sheet.csv')
    await writeFile(path, ['fullyQualifiedName,description', ...rows].join('\n'))
    await page.getByLabel('CSV file').setInputFiles(path)
    const sheet = page.getByRole('dialog', { name: 'Import sheet.csv' })
    await sheet.getByText('1 entity would be changed; 1 entity would stay as they were').waitFor()
    await patch(stage.call, one, { description: 'Theirs again.' })
    await sheet.getByRole('button', { name: 'Change 1 entity' }).press('Enter')
    await sheet.getByText('1 entity changed; 1 entity refused.').waitFor()
    expect(await descriptions()).toEqual(['Theirs again.', 'From the sheet.'])
    expect(complaintsOf(page)).toEqual([])
  })

  it('change everything of a kind where nothing narrows them', async () => {
    const page = await stage.open('/list/glossary', admin)
    await page.getByRole('checkbox', { name: /^Select all/ }).press('Space')
    await page.getByRole('button', { name: 'Change…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: /^Change \d/ })
    await dialog.getByRole('checkbox', { name: 'Replace the description' }).check()
    await dialog.getByRole('textbox', { name: 'Description' }).fill('All alike.')
    await dialog.getByRole('button', { name: 'Preview' }).press('Enter')
    await dialog.getByRole('button', { name: /^Change [1-9]/ }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('are reached from the sidebar, with the columns of their kind', async () => {
    const page = await stage.open('/', admin)
    const nav = page.getByRole('navigation', { name: 'Lists' })
    await nav.getByRole('link', { name: 'Teams' }).press('Enter')
    await page.waitForURL('**/list/team')
    await expect.poll(() => namesOf(page)).toContain('Sales team')
    await nav.getByText('All lists').click()
    await nav.getByRole('link', { name: 'Test definitions' }).press('Enter')
    await page.waitForURL('**/list/testDefinition')
    const reader = await stage.open('/list/table', ['olga', 'DataConsumer'])
    await expect.poll(async () => (await namesOf(reader)).length).toBeGreaterThan(0)
    expect(await reader.getByRole('checkbox', { name: /^Select/ }).count()).toBe(0)
    expect(await reader.getByRole('button', { name: 'Import' }).count()).toBe(0)
  })

  it('show nothing of another kind, and nothing is selected, until the answer is there', async () => {
    const page = await stage.open('/list/glossary', admin)
    await expect.poll(() => namesOf(page)).toContain('Business')
    const nav = page.getByRole('navigation', { name: 'Lists' })
    const contracts = await held(page, '**/v1/dataContracts?*')
    await nav.getByRole('link', { name: 'Data contracts' }).press('Enter')
    await page.getByRole('heading', { name: 'Data contracts', level: 1, exact: true }).waitFor()
    await page.getByRole('main').getByRole('status', { name: 'Loading' }).waitFor()
    expect(await namesOf(page)).toEqual([])
    contracts.release()
    await page
      .getByText(/^There is no data contract yet|not validated/)
      .first()
      .waitFor()

    await page.goto(`${stage.service.url}/list/table`)
    await page.getByRole('checkbox', { name: /^Select all/ }).waitFor()
    const narrowed = await held(page, '**/v1/tables?*q=zzzzq*')
    await page.getByRole('searchbox', { name: 'Filter by words' }).fill('zzzzq')
    await page.waitForURL(/q=zzzzq/)
    await page.getByRole('checkbox', { name: /^Select all/, disabled: true }).waitFor()
    await page.getByRole('heading', { name: 'Tables', level: 1, exact: true }).waitFor()
    narrowed.release()
    await page.getByRole('heading', { name: 'No table matches' }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('are changed by what is clicked below an open list of suggestions', async () => {
    await tableFor(stage.call, 'clicked', { description: 'Potoroo.' })
    const page = await stage.open('/list/table?q=potoroo', admin)
    await page.getByRole('checkbox', { name: 'Select clicked' }).press('Space')
    await page.getByRole('button', { name: 'Change…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change 1 table' })
    await dialog.getByLabel('What to do with domains').selectOption('add')
    await dialog.getByRole('combobox', { name: 'Domains', exact: true }).click()
    const choices = dialog.getByRole('listbox', { name: 'Choices for Domains' })
    await choices.waitFor()
    const replace = dialog.getByRole('checkbox', { name: 'Replace the description' })
    await replace.click({ delay: 60 })
    await dialog.getByRole('textbox', { name: 'Description' }).waitFor()
    await choices.waitFor({ state: 'hidden' })
    await dialog.getByRole('combobox', { name: 'Domains', exact: true }).click()
    await choices.waitFor()
    await page.keyboard.press('Tab')
    await choices.waitFor({ state: 'hidden' })
  })

  const sheetOf = async (page: Page, name: string, content: Buffer | string): Promise<void> => {
    const buffer = typeof content === 'string' ? Buffer.from(content) : content
    await page.getByLabel('CSV file').setInputFiles({ name, mimeType: 'text/csv', buffer })
  }

  it('refuse a sheet in which letters would be lost, and an empty one', async () => {
    const page = await stage.open('/list/table', admin)
    const text = 'fullyQualifiedName;description\r\nshop.main.public.orders;Kunden für Köln | a, b\r\n'
    await sheetOf(page, 'windows.csv', Buffer.from(text, 'latin1'))
    await page.getByText('windows.csv is not a text file in UTF-8').waitFor()
    await sheetOf(page, 'nothing.csv', '\r\n')
    await page.getByText('nothing.csv is empty.').waitFor()
    await sheetOf(page, 'utf16.csv', Buffer.from(`\uFEFF${text}`, 'utf16le'))
    await preview(page).getByText('→ Kunden für Köln | a, b').waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('keep what is being changed in sight until its outcome is there, and link only what there is', async () => {
    await tableFor(stage.call, 'slow', { description: 'Tapir.' })
    const page = await stage.open('/list/table', admin)
    await sheetOf(
      page,
      'slow.csv',
      'fullyQualifiedName,description\nshop.main.public.slow,Changed\nshop.main.public.nope,x\n',
    )
    const dialog = page.getByRole('dialog', { name: 'Import slow.csv' })
    await preview(page).getByRole('rowheader', { name: 'row 3 shop.main.public.nope' }).waitFor()
    expect(await preview(page).getByRole('link', { name: 'shop.main.public.nope' }).count()).toBe(0)
    const changing = await held(page, '**/import?dryRun=false*')
    await dialog.getByRole('button', { name: 'Change 1 entity' }).press('Enter')
    await dialog.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
    for (const _ of [1, 2, 3]) await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await dialog.waitFor()
    changing.release()
    await dialog.getByText(/^1 entity changed; 1 entity refused/).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(complaintsOf(page)).toEqual([])
  })

  it('ask before what was written for many is lost, before and after the preview', async () => {
    await tableFor(stage.call, 'asked', { description: 'Serval.' })
    const page = await stage.open('/list/table?q=serval', admin)
    const asked: string[] = []
    page.on('dialog', (question) => {
      asked.push(question.message())
      void question.dismiss()
    })
    await page.getByRole('checkbox', { name: 'Select asked' }).press('Space')
    await page.getByRole('button', { name: 'Change…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change 1 table' })
    await dialog.getByRole('checkbox', { name: 'Replace the description' }).check()
    await dialog.getByLabel('Description', { exact: true }).fill('A long text.')
    await dialog.getByRole('button', { name: 'Preview' }).press('Enter')
    await preview(page).getByText('A long text.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => asked).toHaveLength(1)
    await dialog.getByRole('button', { name: 'Back' }).press('Enter')
    await dialog.getByLabel('Description', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => asked).toHaveLength(2)
    expect(await dialog.getByLabel('Description', { exact: true }).inputValue()).toBe('A long text.')
  })

  it('go back filter by filter, and take another value in the place of one', async () => {
    await must(stage.call('PUT', '/v1/domains', { name: 'Steppe', domainType: 'Aggregate' }))
    await tableFor(stage.call, 'step_a', { description: 'Saiga.', owners: ['ann'], domains: ['Steppe'] })
    await tableFor(stage.call, 'step_b', { description: 'Saiga.', owners: ['sales'] })
    const page = await stage.open('/list/table', admin)
    const words = page.getByRole('searchbox', { name: 'Filter by words' })
    await words.fill('saiga')
    await page.waitForURL(/q=saiga/)
    await page.getByRole('button', { name: 'Filters', exact: true }).press('Enter')
    const filters = page.getByRole('complementary', { name: 'Filters' })
    await filters.getByRole('radio', { name: 'Sales team 1' }).check()
    await page.waitForURL(/owner=sales/)
    await filters.getByRole('radio', { name: 'Ann Archer 1' }).check()
    await page.waitForURL(/owner=ann/)
    expect(await filters.getByRole('radio', { name: 'Sales team 1' }).isChecked()).toBe(false)
    await filters.getByRole('radio', { name: 'Ann Archer 1' }).click()
    await page.waitForURL((url) => !url.search.includes('owner'))
    await page.goBack()
    await page.waitForURL(/owner=ann/)
    await page.goBack()
    await page.waitForURL(/owner=sales/)
    await expect.poll(() => namesOf(page)).toEqual(['step_b'])
    await page.goBack()
    await page.goBack()
    await page.waitForURL((url) => url.search === '')
    await expect.poll(() => words.inputValue()).toBe('')
    expect(complaintsOf(page)).toEqual([])
  })

  it('show their filters at once on a narrow page', async () => {
    const page = await stage.open('/list/table', admin)
    await page.setViewportSize({ width: 800, height: 900 })
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await page.getByRole('radio', { name: /^Ann Archer/ }).waitFor()
    expect(await page.getByRole('button', { name: 'Filters', exact: true }).count()).toBe(1)
  })
}
