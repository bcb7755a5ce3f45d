import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { tokenFor } from '../../support/service.ts'
import { must, nextMoment, patch, pathOf, tableFor } from '../shop.ts'
import { admin, complaintsOf, held, type Stage } from '../support.ts'

const steward = ['stu', 'DataSteward'] as const

/** Begins to edit the description of a page, and writes this. @returns where it is written */
const describing = async (page: Page, words: string): Promise<Locator> => {
  await page.getByRole('button', { name: 'Edit the description', exact: true }).click()
  const text = page.getByRole('textbox', { name: 'Description' })
  await text.fill(words)
  return text
}

/** Begins to edit the owners of a page, and chooses Ann Archer. */
const chooseAnn = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Edit owners' }).click()
  await page.getByRole('combobox', { name: 'Owners' }).fill('ann')
  await page.getByRole('option', { name: /Ann Archer/ }).click()
}

export const entity = (stage: Stage): void => {
  const read = async (address: string) => (await stage.call('GET', pathOf(address))).body

  it('shows what there is: columns with nested ones, people, tags and where it stands', async () => {
    const page = await stage.open('/table/shop.main.public.orders', admin)
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()
    await page.getByRole('row', { name: /order_id.*bigint.*Key of the order/ }).waitFor()
    await page.getByRole('row', { name: /city.*string.*Where it goes to/ }).waitFor()
    await page.getByRole('link', { name: 'Sales team' }).waitFor()
    await page.getByRole('link', { name: 'Personal' }).waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Shop database' }).click()
    await page.getByRole('heading', { name: 'Shop database', level: 1 }).waitFor()
    await page.getByRole('region', { name: 'Databases' }).getByRole('link', { name: 'main' }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('shows Markdown, and nothing of it becomes a part of the page', async () => {
    const description = [
      '**Bold** and a [link](https://example.com)',
      '',
      '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>',
      '[no](javascript:window.hacked=1) ![no](https://elsewhere.example/pixel.png)',
      '~~Former~~',
      '',
      '- [x] done',
      '',
      '[no](/\\elsewhere.example) [no](<//elsewhere.example>) [list](/list/table?owner=a&amp;tag=b)',
      '[no](javascript&colon;window.hacked=1) 5 &ge; 3 &amp;lt; &notareference;',
    ].join('\n')
    const address = await tableFor(stage.call, 'hostile', { description })
    const page = await stage.open(address, admin)
    await page.locator('strong', { hasText: 'Bold' }).waitFor()
    await page.getByText('<script>window.hacked=1</script>').waitFor()
    await page.getByText('Former').waitFor()
    const struck = `getComputedStyle(document.querySelector('.markdown :is(s, del)')).textDecorationLine`
    expect(await page.evaluate(struck)).toBe('line-through')
    expect(await page.locator('.markdown li').innerText()).toBe('☑ done')
    expect(await page.locator('.markdown img, .markdown script, .markdown a[href^="javascript"]').count()).toBe(0)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    const paths = page.locator('.markdown a:not([target])')
    expect(await paths.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '/list/table?owner=a&tag=b',
    ])
    await page.getByText('5 ≥ 3 &lt; &notareference;').waitFor()
  })

  it('shows numbers and names of its data as the API has them, in its history too', async () => {
    const extension = { maxNullRatio: 0.0001, max_null_ratio: 5e-324, accountId: 20240101, timestamp: 1e20 }
    const address = await tableFor(stage.call, 'measured', { extension })
    const token = tokenFor('bea', ['Admin'])
    await patch(stage.call, address, { extension: { ...extension, maxNullRatio: 0.0004 } }, token)
    const page = await stage.open(address, admin)
    const shown = page.getByRole('region', { name: 'Extension' })
    await shown.getByText('Max null ratio').waitFor()
    const members = (ratio: string) => [
      ['Max null ratio', ratio],
      ['max_null_ratio', '5e-324'],
      ['Account ID', '20240101'],
      ['Timestamp', '100000000000000000000'],
    ]
    const texts = async (side: Locator) => {
      const [names, values] = [await side.locator('dt').allInnerTexts(), await side.locator('dd').allInnerTexts()]
      return names.map((name, at) => [name, values[at]])
    }
    expect(await texts(shown)).toEqual(members('0.0004'))
    await page.goto(`${stage.service.url}${address}?tab=history`)
    const row = page.getByRole('listitem').filter({ hasText: 'bea changed' })
    await row.getByRole('button', { name: 'What changed' }).click()
    await row.locator('.diff-side').first().waitFor()
    expect(await texts(row.locator('.was'))).toEqual(members('0.0001'))
    expect(await texts(row.locator('.is'))).toEqual(members('0.0004'))
    expect(complaintsOf(page)).toEqual([])
  })

  it('keeps what cannot be shown in its section', async () => {
    const page = await stage.open('/', admin)
    await page.route('**/api/v1/tables/name/shop.main.public.customers?*', async (route) => {
      const answer = await route.fetch()
      const entity = (await answer.json()) as Record<string, unknown>
      await route.fulfill({ response: answer, json: { ...entity, description: { text: 7 }, termsOfUse: 'As agreed.' } })
    })
    await page.goto(`${stage.service.url}/table/shop.main.public.customers`)
    await page.getByRole('heading', { name: 'customers', level: 1 }).waitFor()
    await page.getByRole('alert').getByText('That did not work').waitFor()
    await page.getByRole('row', { name: /id.*bigint/ }).waitFor()
    await page.getByRole('region', { name: 'Terms of use' }).getByText('As agreed.').waitFor()
    await page.getByRole('complementary', { name: 'Details' }).getByText('Owners').waitFor()
    await page.getByRole('alert').waitFor()
  })

  it('takes with Enter what fits the whole of what was written, however late that comes', async () => {
    for (const name of ['piet', 'pieter']) await must(stage.call('PUT', '/v1/users', { name }))
    const page = await stage.open(await tableFor(stage.call, 'assigned'), steward)
    await page.getByRole('button', { name: 'Edit owners' }).click()
    const input = page.getByRole('combobox', { name: 'Owners' })
    await input.fill('pie')
    await page.getByRole('option', { name: /piet\b/ }).waitFor()
    await input.fill('pieter')
    await input.press('Enter')
    const owners = page.getByRole('region', { name: 'Owners' })
    await owners.getByRole('button', { name: 'Remove pieter' }).waitFor()
    expect(await owners.getByRole('button', { name: /^Remove/ }).count()).toBe(1)
  })

  it('offers whole names first, whatever kind they are of, keeps what the keys mark in sight, and lets Tab go on', async () => {
    for (const name of ['paula_reads', ...Array.from({ length: 20 }, (_, at) => `paul${at}`)])
      await must(stage.call('PUT', '/v1/users', { name }))
    await must(stage.call('PUT', '/v1/teams', { name: 'paula', teamType: 'Group' }))
    const page = await stage.open(await tableFor(stage.call, 'picked'), steward)
    await page.getByRole('button', { name: 'Edit owners' }).click()
    const input = page.getByRole('combobox', { name: 'Owners' })
    const owners = page.getByRole('region', { name: 'Owners' })
    await owners.getByRole('option', { name: /paul19/ }).waitFor()
    for (let at = 0; at < 15; at++) await input.press('ArrowDown')
    const hidden = () =>
      page.evaluate(`(() => {
        const box = (element) => element.getBoundingClientRect()
        const marked = document.querySelector('[role=option][aria-selected=true]')
        const list = box(marked.parentElement)
        return Math.max(box(marked).bottom - Math.min(list.bottom, innerHeight), list.top - box(marked).top) > 1
      })()`)
    await expect.poll(hidden).toBe(false)
    await input.press('Tab')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Save')
    await input.fill('paula')
    await input.press('Enter')
    await owners.getByRole('button', { name: 'Remove paula', exact: true }).waitFor()
  })

  it('deletes for good with what is below, also what was deleted before or came meanwhile, and says so', async () => {
    const put = (path: string, body: unknown) => must(stage.call('PUT', `/v1/${path}`, body))
    await put('databaseSchemas', { name: 'ended', database: 'shop.main' })
    await put('tables', { name: 'one', databaseSchema: 'shop.main.ended', columns: [] })
    await must(stage.call('DELETE', '/v1/databaseSchemas/name/shop.main.ended?recursive=true'))
    const page = await stage.open('/databaseSchema/shop.main.ended', admin)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name: 'Delete …' }).click()
    const dialog = page.getByRole('dialog', { name: /^Delete/ })
    await dialog.getByText('This also deletes 1 table').waitFor()
    await dialog.getByText('What was deleted before is counted, too.').waitFor()
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('Deleted for good').waitFor()
    await put('databaseSchemas', { name: 'filling', database: 'shop.main' })
    await page.goto(`${stage.service.url}/databaseSchema/shop.main.filling`)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name: 'Delete …' }).click()
    await dialog.getByText('if any, are deleted with it').waitFor()
    await put('tables', { name: 'late', databaseSchema: 'shop.main.filling', columns: [] })
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByText('This also deletes 1 table').waitFor()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  it('leaves the focus where it is or near what went, and never to the page', async () => {
    const address = await tableFor(stage.call, 'focused')
    const page = await stage.open(address, admin)
    const focused = () => page.evaluate('document.activeElement.closest(".past-bar, .entity, .chosen") !== null')
    const follow = page.getByRole('button', { name: /^Follow/ })
    await follow.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Following/ }).waitFor()
    await page.keyboard.press('Enter')
    await follow.waitFor()
    await page.goto(`${stage.service.url}${address}?tab=history`)
    await page.getByRole('button', { name: 'View' }).first().press('Enter')
    await page.getByText('As it was on').waitFor()
    await expect.poll(focused).toBe(true)
    await page.getByRole('button', { name: 'Back to now' }).press('Enter')
    await page.getByText('As it was on').waitFor({ state: 'detached' })
    await expect.poll(focused).toBe(true)
    await page.goto(`${stage.service.url}/search?q=*&kind=table&tag=Privacy.Personal`)
    await page.getByRole('button', { name: /^Tag:/ }).press('Enter')
    await page.getByRole('button', { name: /^Tag:/ }).waitFor({ state: 'detached' })
    await expect.poll(focused).toBe(true)
  })

  it('is edited where it stands: words, people, tags and a nested column', async () => {
    const address = await tableFor(stage.call, 'edited')
    const page = await stage.open(address, steward)
    await (await describing(page, 'What was *edited*.')).press('Control+Enter')
    await page.locator('em', { hasText: 'edited' }).waitFor()

    await chooseAnn(page)
    await page.getByRole('region', { name: 'Owners' }).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Ann Archer' }).waitFor()

    await page.getByRole('button', { name: 'Edit the tags of address.city' }).click()
    await page.getByRole('combobox', { name: 'Tags of address.city' }).fill('Pers')
    await page.getByRole('option', { name: /Personal/ }).click()
    await page.getByRole('row', { name: /city/ }).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /city/ }).getByRole('link', { name: 'Personal' }).waitFor()

    const { description, owners, columns, updatedBy } = await read(address)
    expect([description, owners[0].name, columns[3].children[1].tags[0].tagFQN, updatedBy]).toEqual([
      'What was *edited*.',
      'ann',
      'Privacy.Personal',
      'stu',
    ])
  })

  it('gives the focus back to what opened an editor or a dialog', async () => {
    const page = await stage.open(await tableFor(stage.call, 'focused'), admin)
    const expectFocus = (name: string) =>
      page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor()
    const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter')
    for (const key of ['Escape', 'Control+Enter']) {
      await press('Edit the description')
      await page.getByRole('textbox', { name: 'Description' }).press(key)
      await expectFocus('Edit the description')
    }
    await press('Edit owners')
    await page.getByRole('combobox', { name: 'Owners' }).press('Escape')
    await expectFocus('Edit owners')
    await press('More')
    await press('Delete …')
    await page.getByRole('dialog').press('Escape')
    await expectFocus('More')
  })

  it('gets in place what it does not have yet, and other values for what it has', async () => {
    const term = async () => (await stage.call('GET', '/v1/glossaryTerms/name/Business.Refund')).body
    await stage.call('PUT', '/v1/glossaryTerms', { name: 'Refund', glossary: 'Business' })
    const page = await stage.open('/glossaryTerm/Business.Refund', steward)
    const more = page.getByRole('region', { name: 'More details' })
    const choose = async (name: string): Promise<void> => {
      await more.getByRole('button', { name: 'Add or change a detail' }).click()
      await more.getByRole('combobox', { name: 'Which detail' }).selectOption({ label: name })
    }
    await choose('Synonyms')
    await more.getByRole('textbox', { name: 'Synonyms' }).fill('Money back\nReturn')
    await more.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Synonyms' }).getByText('Return').waitFor()
    await choose('Reviewers')
    await more.getByRole('combobox', { name: 'Reviewers' }).fill('ann')
    await more.getByRole('option', { name: /Ann Archer/ }).click()
    await more.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Reviewers' }).getByRole('link', { name: 'Ann Archer' }).waitFor()
    await choose('Style')
    await more.getByRole('textbox', { name: 'Style' }).fill('red')
    await more.getByRole('button', { name: 'Save' }).click()
    await more.getByRole('alert').first().waitFor()
    await more.getByRole('button', { name: 'Cancel' }).click()
    await choose('Synonyms')
    await more.getByRole('textbox', { name: 'Synonyms' }).fill('')
    await more.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Synonyms' }).waitFor({ state: 'detached' })
    const { synonyms, reviewers, style } = await term()
    expect([synonyms, reviewers.map(({ name }: { name: string }) => name), style]).toEqual([
      undefined,
      ['ann'],
      undefined,
    ])
  })

  it('saves no other JSON than was typed, and says at its field what the API refuses of it', async () => {
    const address = await tableFor(stage.call, 'typed', { extension: { account: 7 }, retentionPeriod: 'P1Y' })
    const page = await stage.open(address, steward)
    const more = page.getByRole('region', { name: 'More details' })
    await more.getByRole('button', { name: 'Add or change a detail' }).click()
    await more.getByRole('combobox', { name: 'Which detail' }).selectOption({ label: 'Extension' })
    const field = more.getByRole('textbox', { name: 'Extension' })
    for (const [text, refusal] of [
      ['{"account": 9007199254740993}', 'account has more digits than a JSON number keeps'],
      ['{"account": 1e400}', 'account is too large a number'],
      ['{"account": 1, "account": 2}', 'account is given more than once'],
    ] as const) {
      await field.fill(text)
      await more.getByRole('button', { name: 'Save' }).click()
      await more.locator('.wrong').getByText(refusal).waitFor()
    }
    expect((await read(address)).extension).toEqual({ account: 7 })
    await field.fill('{"account": 8}')
    await more.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Extension' }).getByText('8').waitFor()
  })

  it('shows the tests of a table, and leads to each', async () => {
    const address = await tableFor(stage.call, 'tested')
    const { updatedAt } = await read(address)
    const before = new Date(updatedAt).toISOString()
    await nextMoment(updatedAt)
    await stage.call('PUT', '/v1/dataQuality/testSuites', { name: 'nightly' })
    await stage.call('PUT', '/v1/dataQuality/testCases', {
      name: 'key_is_unique',
      testDefinition: 'columnValuesToBeUnique',
      testSuite: 'nightly',
      entityLink: '<#E::table::shop.main.public.tested::columns::order_id>',
    })
    const page = await stage.open('/', admin)
    const asked = page.waitForResponse((response) => /\/testCases\?/.test(response.url()))
    await page.goto(`${stage.service.url}${address}?asOf=${before}`)
    expect((await (await asked).json()).data).toEqual([])
    await page.getByRole('button', { name: 'Back to now' }).waitFor()
    expect(await page.getByRole('region', { name: 'Test cases' }).count()).toBe(0)
    await page.goto(`${stage.service.url}${address}?asOf=${new Date().toISOString()}`)
    await page.getByRole('region', { name: 'Test cases' }).getByRole('link', { name: 'key_is_unique' }).click()
    await page.getByRole('heading', { name: 'key_is_unique', level: 1 }).waitFor()
  })

  it('keeps what others changed meanwhile, and shows both sides of a conflict', async () => {
    const address = await tableFor(stage.call, 'contested', { description: 'As it was.' })
    const page = await stage.open(address, steward)
    const description = page.getByRole('textbox', { name: 'Description' })
    await describing(page, 'Mine.')
    await patch(stage.call, address, { displayName: 'Named by Bea' }, tokenFor('bea', ['Admin']))
    await description.press('Control+Enter')
    await page.locator('.markdown').getByText('Mine.', { exact: true }).waitFor()
    expect((await read(address)).displayName).toBe('Named by Bea')

    const [mine, theirs] = ['One row for each order that was placed.', 'One row for each order.']
    await describing(page, mine)
    await patch(stage.call, address, { description: theirs }, tokenFor('bea', ['Admin']))
    await description.press('Control+Enter')
    const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' })
    await dialog.getByText('that was placed').waitFor()
    await expect.poll(() => dialog.locator('.diff-side').allInnerTexts()).toEqual([theirs, mine])
    expect((await read(address)).description).toBe(theirs)
    await dialog.getByRole('button', { name: 'Keep mine' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(async () => (await read(address)).description).toBe(mine)
  })

  it('overwrites nothing that came onto the page while somebody was writing', async () => {
    const address = await tableFor(stage.call, 'reloaded', { description: 'As it was.' })
    const page = await stage.open(address, admin)
    const description = await describing(page, 'Mine.')
    await patch(stage.call, address, { description: 'Theirs.' }, tokenFor('bea', ['Admin']))
    await page.getByRole('button', { name: 'Vote for it; 0 do' }).click()
    await page.getByRole('button', { name: 'Vote for it; 1 do', pressed: true }).waitFor()
    await description.press('Control+Enter')
    const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' })
    await dialog.getByText('Theirs.').first().waitFor()
    expect((await read(address)).description).toBe('Theirs.')
    await dialog.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await description.and(page.locator(':focus')).waitFor()
    expect(await description.inputValue()).toBe('Mine.')
    await description.press('Control+Enter')
    await dialog.getByText('Theirs.').first().waitFor()
    expect((await read(address)).description).toBe('Theirs.')
    await dialog.getByRole('button', { name: 'Keep mine' }).click()
    await page.locator('.markdown').getByText('Mine.', { exact: true }).waitFor()
    expect((await read(address)).description).toBe('Mine.')
  })

  it('shows in a conflict who is meant, and keeps nothing of mine where theirs is taken', async () => {
    const address = await tableFor(stage.call, 'conceded')
    const page = await stage.open(address, steward)
    await chooseAnn(page)
    await patch(stage.call, address, { owners: ['sales'] }, tokenFor('bea', ['Admin']))
    const owners = page.getByRole('region', { name: 'Owners' })
    await owners.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' })
    await expect
      .poll(() => dialog.locator('.diff-side').allInnerTexts())
      .toEqual([/Sales team$/, /Ann Archer$/].map((name) => expect.stringMatching(name)))
    await dialog.getByRole('button', { name: 'Take theirs' }).click()
    await owners.getByRole('link', { name: 'Sales team' }).waitFor()
    expect(await owners.getByRole('button', { name: 'Save' }).count()).toBe(0)
    expect((await read(address)).owners).toMatchObject([{ name: 'sales' }])
  })

  it('takes away what was removed from a value, also where somebody changed another value meanwhile', async () => {
    const address = await tableFor(stage.call, 'lessened', { extension: { a: 1, b: 2 } })
    const page = await stage.open(address, steward)
    const more = page.getByRole('region', { name: 'More details' })
    await more.getByRole('button', { name: 'Add or change a detail' }).click()
    await more.getByRole('combobox', { name: 'Which detail' }).selectOption({ label: 'Extension' })
    await more.getByRole('textbox', { name: 'Extension' }).fill('{ "a": 1 }')
    await patch(stage.call, address, { displayName: 'Named by Bea' }, tokenFor('bea', ['Admin']))
    await more.getByRole('button', { name: 'Save' }).click()
    await page.locator('.toasts').getByText('Saved').waitFor()
    expect(await read(address)).toMatchObject({ displayName: 'Named by Bea', extension: { a: 1 } })
    expect((await read(address)).extension).toEqual({ a: 1 })
  })

  it('takes no answer of something on the way for one of the catalog', async () => {
    const address = await tableFor(stage.call, 'captive', { description: 'As it was.' })
    const page = await stage.open(address, steward)
    const portal = { status: 200, contentType: 'text/html', body: '<title>Welcome to our network</title>' }
    await page.route('**/v1/tables/*', (route) => route.fulfill(portal), { times: 1 })
    const description = await describing(page, 'Mine.')
    await description.press('Control+Enter')
    await page.getByText('The catalog is not responding.').waitFor()
    expect(await description.inputValue()).toBe('Mine.')
    await description.press('Control+Enter')
    await page.locator('.markdown').getByText('Mine.', { exact: true }).waitFor()
  })

  it('shows nothing of another kind that has the same name', async () => {
    await must(stage.call('PUT', '/v1/glossaries', { name: 'twin', displayName: 'Twin Glossary' }))
    await must(stage.call('PUT', '/v1/classifications', { name: 'twin', displayName: 'Twin Tags' }))
    const page = await stage.open('/glossary/twin', admin)
    await page.getByRole('heading', { name: 'Twin Glossary', level: 1 }).waitFor()
    const other = await held(page, '**/v1/classifications/name/twin?*')
    await page.getByRole('combobox', { name: 'Search' }).fill('twin')
    await page.getByRole('option', { name: /Twin Tags/ }).click()
    await page.waitForURL('**/classification/twin')
    await page.getByRole('main').getByRole('status', { name: 'Loading' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Twin Glossary' }).count()).toBe(0)
    other.release()
    await page.getByRole('heading', { name: 'Twin Tags', level: 1 }).waitFor()
  })

  it('is saved where the answer to a change was lost, and tells of no conflict', async () => {
    const address = await tableFor(stage.call, 'unanswered', { description: 'As it was.', owners: ['sales'] })
    const page = await stage.open(address, steward)
    const losing = () =>
      page.route(
        '**/v1/tables/*',
        async (route) => {
          await route.fetch()
          await route.abort()
        },
        { times: 1 },
      )
    await losing()
    const description = await describing(page, 'Mine.')
    await description.press('Control+Enter')
    await page.getByText('The catalog is not responding.').waitFor()
    await description.press('Control+Enter')
    await page.locator('.markdown').getByText('Mine.', { exact: true }).waitFor()
    await losing()
    await chooseAnn(page)
    const owners = page.getByRole('region', { name: 'Owners' })
    await owners.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The catalog is not responding.').waitFor()
    await owners.getByRole('button', { name: 'Save' }).click()
    await owners.getByRole('link', { name: 'Ann Archer' }).waitFor()
    expect((await read(address)).updatedBy).toBe('stu')
  })

  it('tells what is wrong where it was written, and not in another open editor', async () => {
    const page = await stage.open(await tableFor(stage.call, 'two_editors'), steward)
    await page.getByRole('button', { name: 'Edit owners' }).click()
    const text = await describing(page, 'Mine.')
    await page.route('**/v1/tables/*', (route) => route.abort(), { times: 1 })
    await text.press('Control+Enter')
    await page.getByText('The catalog is not responding.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(1)
  })

  it('loses one of those that cannot be viewed when one is removed', async () => {
    for (const name of ['una', 'ulf', 'uta']) await must(stage.call('PUT', '/v1/users', { name }))
    const address = await tableFor(stage.call, 'unseen', { owners: ['una', 'ulf', 'uta', 'sales'] })
    const page = await stage.open(address, ['pia', 'PeopleUnseen'])
    await page.getByRole('button', { name: 'Edit owners' }).click()
    const owners = page.getByRole('region', { name: 'Owners' })
    const remove = owners.getByRole('button', { name: /^Remove \*/ })
    await remove.nth(2).waitFor()
    await remove.nth(1).click()
    await expect.poll(() => remove.count()).toBe(2)
    await owners.getByRole('button', { name: 'Save' }).click()
    await owners.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect((await read(address)).owners).toHaveLength(3)
  })

  it('has the tag or the term that was chosen where both have one name', async () => {
    await must(stage.call('PUT', '/v1/classifications', { name: 'Twice' }))
    await must(stage.call('PUT', '/v1/tags', { name: 'X', classification: 'Twice' }))
    await must(stage.call('PUT', '/v1/glossaries', { name: 'Twice' }))
    await must(stage.call('PUT', '/v1/glossaryTerms', { name: 'X', displayName: 'The term', glossary: 'Twice' }))
    const tags = [{ tagFQN: 'Twice.X', source: 'Classification' }]
    const address = await tableFor(stage.call, 'twice_named', { tags })
    const page = await stage.open(address, steward)
    await page.getByRole('button', { name: 'Edit tags and terms' }).click()
    const field = page.getByRole('region', { name: 'Tags and terms' })
    await field.getByRole('button', { name: /^Remove/ }).click()
    await field.getByRole('combobox').fill('The term')
    await field.getByRole('option', { name: /The term/ }).click()
    await field.getByRole('button', { name: 'Save' }).click()
    await field.getByRole('link', { name: 'The term' }).waitFor()
    expect((await read(address)).tags).toMatchObject([{ tagFQN: 'Twice.X', source: 'Glossary' }])
  })

  it('asks before what was written is lost, and not once it is saved', async () => {
    const address = await tableFor(stage.call, 'drafted', { description: 'As it was.' })
    const page = await stage.open('/', admin)
    await page.getByRole('link', { name: 'drafted' }).click()
    const asked: string[] = []
    let answer: 'accept' | 'dismiss' = 'dismiss'
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog[answer]()
    })
    const edit = page.getByRole('button', { name: 'Edit the description', exact: true })
    const text = page.getByRole('textbox', { name: 'Description' })
    const history = page.getByRole('link', { name: 'History' })
    await edit.click()
    await text.press('Escape')
    await edit.click()
    await text.fill('Written for long.')
    await text.press('Escape')
    expect(asked).toEqual(['confirm'])
    await history.click()
    await page.evaluate('history.back()')
    await expect.poll(() => asked.length).toBe(3)
    await page.evaluate('setTimeout(() => location.reload())')
    await expect.poll(() => asked.at(-1)).toBe('beforeunload')
    expect([await text.inputValue(), new URL(page.url()).pathname]).toEqual(['Written for long.', address])
    await text.press('Control+Enter')
    await page.locator('.markdown').getByText('Written for long.').waitFor()
    await edit.click()
    await text.fill('Not wanted.')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await history.click()
    await page.waitForURL('**tab=history')
    await page.getByRole('link', { name: 'Overview' }).click()
    expect(asked.length).toBe(4)
    await edit.click()
    await text.fill('Not wanted.')
    answer = 'accept'
    await history.click()
    await page.waitForURL('**tab=history')
    expect(asked.length).toBe(5)
  })

  it('keeps what is being written of a column while others are filtered or closed', async () => {
    const more = Array.from({ length: 8 }, (_, at) => ({ name: `c${at}`, dataType: 'INT' }))
    const children = [{ name: 'city', dataType: 'STRING' }]
    const columns = [...more, { name: 'address', dataType: 'STRUCT', children }]
    const page = await stage.open(await tableFor(stage.call, 'wide', { columns }), steward)
    await page.getByRole('button', { name: 'Edit the description of address.city' }).click()
    const text = page.getByRole('textbox', { name: 'Description of address.city' })
    await text.fill('Where it goes to.')
    await page.getByRole('button', { name: 'Close address' }).click()
    await page.getByRole('searchbox', { name: 'Filter columns' }).fill('c7')
    await page.getByRole('row', { name: /^c1/ }).waitFor({ state: 'hidden' })
    expect(await text.inputValue()).toBe('Where it goes to.')
    await text.press('Control+Enter')
    await text.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByRole('searchbox', { name: 'Filter columns' }).fill('city')
    await page.getByRole('row', { name: /city.*Where it goes to/ }).waitFor()
  })

  it('keeps what is being written of a column or a fact that somebody else takes away meanwhile', async () => {
    const columns = ['id', 'n', 'z'].map((name) => ({ name, dataType: 'INT' }))
    const address = await tableFor(stage.call, 'losing', { columns, retentionPeriod: 'P1D' })
    const page = await stage.open(address, admin)
    await page.getByRole('button', { name: 'Edit the description of n', exact: true }).click()
    const text = page.getByRole('textbox', { name: 'Description of n' })
    await text.fill('How many.')
    await page.getByRole('button', { name: 'Edit retention period' }).click()
    const period = page.getByRole('textbox', { name: 'Retention period' })
    await period.fill('P2D')
    await text.focus()
    await patch(stage.call, address, { columns: columns.filter(({ name }) => name !== 'n'), retentionPeriod: null })
    await page.getByRole('button', { name: 'Vote for it; 0 do' }).click()
    await page.getByRole('row', { name: /^n no longer there/ }).waitFor()
    expect([await text.inputValue(), await period.inputValue()]).toEqual(['How many.', 'P2D'])
    await text.press('Control+Enter')
    await page.getByRole('alert').getByText('There is no column n any more.').waitFor()
    await period.press('Control+Enter')
    await page
      .getByRole('dialog', { name: 'Changed by somebody else' })
      .getByRole('button', { name: 'Take theirs' })
      .click()
    await period.waitFor({ state: 'detached' })
    expect(await text.inputValue()).toBe('How many.')
    await text.locator('xpath=ancestor::form').getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
  })

  it('asks before another detail is chosen than the one that is being written', async () => {
    await must(stage.call('PUT', '/v1/glossaryTerms', { name: 'Voucher', glossary: 'Business' }))
    const page = await stage.open('/glossaryTerm/Business.Voucher', steward)
    const more = page.getByRole('region', { name: 'More details' })
    await more.getByRole('button', { name: 'Add or change a detail' }).click()
    const which = more.getByRole('combobox', { name: 'Which detail' })
    await which.selectOption({ label: 'Synonyms' })
    const synonyms = more.getByRole('textbox', { name: 'Synonyms' })
    await synonyms.fill('Gift card')
    let answer: 'accept' | 'dismiss' = 'dismiss'
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog[answer]()
    })
    await which.selectOption({ label: 'Style' })
    expect([asked, await synonyms.inputValue()]).toEqual([['confirm'], 'Gift card'])
    answer = 'accept'
    await which.selectOption({ label: 'Style' })
    await more.getByRole('textbox', { name: 'Style' }).waitFor()
    await which.selectOption({ label: 'Synonyms' })
    expect([asked.length, await synonyms.inputValue()]).toEqual([2, ''])
  })

  it('keeps what was written where somebody deleted it meanwhile, until it is restored', async () => {
    const address = await tableFor(stage.call, 'gone_meanwhile')
    const page = await stage.open(address, steward)
    const text = await describing(page, 'Mine.')
    await must(stage.call('DELETE', `/v1/tables/${(await read(address)).id}`))
    await text.press('Control+Enter')
    await page.getByText('It can be saved once it is restored.').waitFor()
    await text.and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.locator('.toasts').getByText('Restored').waitFor()
    await text.press('Control+Enter')
    await page.locator('.markdown').getByText('Mine.', { exact: true }).waitFor()
  })

  it('tells that a change is refused as overtaken although nothing changed, and leaves it to whoever writes', async () => {
    const page = await stage.open(await tableFor(stage.call, 'altered_on_the_way', { description: 'Before.' }), steward)
    let sent = 0
    await page.route('**/v1/tables/*', (route) => {
      sent += 1
      return route.continue({ headers: { ...route.request().headers(), 'if-match': '"999"' } })
    })
    const text = await describing(page, 'Mine.')
    await text.press('Control+Enter')
    await page.getByText('refused although nothing has changed meanwhile').waitFor()
    expect([sent, await text.inputValue()]).toEqual([1, 'Mine.'])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('.markdown').getByText('Before.', { exact: true }).waitFor()
  })

  it('is saved behind a proxy that weakens entity tags', async () => {
    const address = await tableFor(stage.call, 'weakly_tagged')
    const page = await stage.blank(steward)
    await page.route('**/v1/tables/**', async (route) => {
      const answer = await route.fetch()
      const { etag = '', ...headers } = answer.headers()
      await route.fulfill({ response: answer, headers: { ...headers, etag: etag.replace(/^(?=")/, 'W/') } })
    })
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.goto(`${stage.service.url}${address}`)
    const text = await describing(page, 'Mine.')
    await text.press('Control+Enter')
    await page.locator('.markdown').getByText('Mine.', { exact: true }).waitFor()
    expect((await sent).headers()['if-match']).toMatch(/^W\/"/)
    expect((await read(address)).description).toBe('Mine.')
  })

  it('takes nothing in while it is being saved', async () => {
    const page = await stage.open(await tableFor(stage.call, 'slowly_saved'), admin)
    const text = await describing(page, 'Saved.')
    const saving = await held(page, '**/v1/tables/*')
    await text.press('Control+Enter')
    await text.and(page.locator(':disabled')).waitFor()
    await page.keyboard.type('more')
    await page.keyboard.press('Control+Enter')
    expect(await text.inputValue()).toBe('Saved.')
    saving.release()
    await page.locator('.markdown').getByText('Saved.', { exact: true }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('goes on asking for a detail as when that was chosen, and keeps what somebody else wrote of it', async () => {
    const { id } = await must(stage.call('GET', pathOf(await tableFor(stage.call, 'detailed'))))
    const made = (sla?: object) =>
      must(stage.call('PUT', '/v1/dataContracts', { name: 'detailed', entity: { type: 'table', id }, sla }))
    const page = await stage.open(`/dataContract/${String((await made()).fullyQualifiedName)}`, admin)
    const more = page.getByRole('region', { name: 'More details' })
    await more.getByRole('button', { name: 'Add or change a detail' }).click()
    await more.getByRole('combobox', { name: 'Which detail' }).selectOption({ label: 'SLA' })
    const frequency = more.getByRole('textbox', { name: 'Refresh frequency' })
    await frequency.fill('PT4H')
    await made({ availability: 99.5 })
    await (await describing(page, 'Brings the page up to date.')).press('Control+Enter')
    await page.getByRole('region', { name: 'SLA' }).getByText('99.5').waitFor()
    expect(await frequency.inputValue()).toBe('PT4H')
    await more.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' })
    await dialog.getByText('PT4H').waitFor()
    await dialog.getByRole('button', { name: 'Take theirs' }).click()
    await more.getByRole('button', { name: 'Add or change a detail' }).waitFor()
    expect((await made()).sla).toEqual({ availability: 99.5 })
  })

  it('keeps what is being written when the page cannot be brought up to date, and says so', async () => {
    const address = await tableFor(stage.call, 'interrupted')
    const page = await stage.open(address, admin)
    const text = await describing(page, 'Ten minutes of work.')
    const tables = '**/v1/tables/name/*'
    await page.route(tables, (route) => route.fulfill({ status: 401, json: { code: 'UNAUTHORIZED' } }))
    await page.getByRole('button', { name: /^Follow/ }).click()
    const outdated = page.getByRole('alert').filter({ hasText: 'may be out of date. You are signed out.' })
    await outdated.waitFor()
    expect(await text.inputValue()).toBe('Ten minutes of work.')
    await page.unroute(tables)
    await outdated.getByRole('button', { name: 'Try again' }).click()
    await outdated.waitFor({ state: 'detached' })
    await text.press('Control+Enter')
    await page.locator('.markdown').getByText('Ten minutes of work.').waitFor()
  })

  it('has the room for its life before that comes, so that nothing moves away from a finger', async () => {
    const page = await stage.open('/', admin)
    const history = await held(page, '**/history?*')
    await page.goto(`${stage.service.url}/table/shop.main.public.orders`)
    const top = () =>
      page.getByRole('heading', { name: 'Columns' }).evaluate((each) => each.getBoundingClientRect().top)
    const before = await top()
    expect(await page.getByRole('slider').count()).toBe(0)
    history.release()
    await page.getByRole('slider').waitFor()
    expect(await top()).toBe(before)
  })

  it('is not edited before the present has come in the place of the past', async () => {
    const address = await tableFor(stage.call, 'returned', { description: 'First words.' })
    await patch(stage.call, address, { description: 'Second words.' })
    const page = await stage.open(`${address}?asOf=0.1`, admin)
    await page.getByText('First words.').waitFor()
    const present = await held(page, '**/name/shop.main.public.returned?include=all')
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page.getByText('As it was on').waitFor({ state: 'detached' })
    const edit = page.getByRole('button', { name: 'Edit the description', exact: true })
    expect([await page.getByText('First words.').count(), await edit.count()]).toEqual([1, 0])
    present.release()
    await page.getByText('Second words.').waitFor()
    await edit.waitFor()
  })

  it('that somebody else has restored already is shown so', async () => {
    const address = await tableFor(stage.call, 'restored')
    const { id } = await read(address)
    await must(stage.call('DELETE', `/v1/tables/${id}`))
    const page = await stage.open(address, admin)
    const restore = page.getByRole('button', { name: 'Restore' })
    await restore.waitFor()
    await must(stage.call('PUT', '/v1/tables/restore', { id }))
    await restore.click()
    await page.locator('.toasts').getByText('Somebody has changed this meanwhile.').waitFor()
    await restore.waitFor({ state: 'detached' })
  })

  it('is followed and voted on, from the first time on', async () => {
    const address = await tableFor(stage.call, 'liked')
    const page = await stage.open(address, ['fan', 'DataConsumer'])
    await page.getByRole('button', { name: 'Vote for it; 0 do' }).click()
    await page.getByRole('button', { name: 'Vote for it; 1 do', pressed: true }).waitFor()
    await page.getByRole('button', { name: /^Follow/ }).click()
    await page.getByRole('button', { name: /^Following 1/, pressed: true }).waitFor()
    await page.getByRole('button', { name: /^Following/ }).click()
    await page.getByRole('button', { name: /^Follow 0/, pressed: false }).waitFor()
    const { votes } = await read(address)
    expect(votes.upVotes).toBe(1)
  })

  it('is deleted with a word on what goes along, and restored', async () => {
    await stage.call('PUT', '/v1/databaseSchemas', { name: 'doomed', database: 'shop.main' })
    for (const name of ['one', 'two'])
      await stage.call('PUT', '/v1/tables', { name, databaseSchema: 'shop.main.doomed' })
    const page = await stage.open('/databaseSchema/shop.main.doomed', steward)
    await page.getByRole('button', { name: 'More' }).click()
    const counts = await held(page, '**/v1/tables?*limit=0*')
    await page.getByRole('button', { name: 'Delete …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete doomed?' })
    await dialog.getByRole('button', { name: 'Delete', disabled: true }).waitFor()
    counts.release()
    await dialog.getByText('2 tables').waitFor()
    expect(await dialog.getByRole('checkbox').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('deleted', { exact: true }).waitFor()
    expect((await stage.call('GET', '/v1/tables/name/shop.main.doomed.one')).status).toBe(404)
    await page.getByText('Everything deleted together with it is restored as well.').waitFor()
    // What is told in the corner stays for some seconds only.
    const told = page.getByText('Restored, and with it 2 tables').waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await told
    await page.getByRole('button', { name: 'Restore' }).waitFor({ state: 'detached' })
    expect((await stage.call('GET', '/v1/tables/name/shop.main.doomed.one')).status).toBe(200)
  })
}
