import { expect, it } from 'vitest'
import { tokenFor } from '../../support/service.ts'
import { must, nextMoment, patch, pathOf, tableFor } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'
import { usableByEverybody } from './everybody.ts'

export const governance = (stage: Stage): void => {
  const put = (path: string, body: unknown) => must(stage.call('PUT', `/v1/${path}`, body))

  it('a tag shows what carries it and on which columns, now and at a moment, and leads to the search', async () => {
    await put('tags', { name: 'Secret', classification: 'Privacy' })
    const address = await tableFor(stage.call, 'letters', {
      columns: [{ name: 'address', dataType: 'STRUCT', children: [{ name: 'city', dataType: 'STRING' }] }],
    })
    const { updatedAt } = (await stage.call('GET', pathOf(address))).body
    await nextMoment(updatedAt)
    const city = { name: 'city', dataType: 'STRING', tags: ['Privacy.Secret'] }
    await patch(stage.call, address, { columns: [{ name: 'address', dataType: 'STRUCT', children: [city] }] })
    const page = await stage.open('/tag/Privacy.Secret', admin)
    await page.getByRole('link', { name: 'Used by' }).press('Enter')
    const tables = page.getByRole('region', { name: 'Tables' })
    await tables.getByRole('heading', { name: 'Tables 1 by tags' }).waitFor()
    await tables
      .getByRole('listitem')
      .filter({ hasText: /letters.*columns\.address\.city/ })
      .waitFor()
    await usableByEverybody(page)
    await tables.getByRole('link', { name: 'Search these' }).press('Enter')
    await page.getByRole('heading', { name: '1 result', exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?kind=table&tag=Privacy.Secret')
    await page.goto(`${stage.service.url}/tag/Privacy.Secret?tab=used-by&asOf=${new Date(updatedAt).toISOString()}`)
    await page.getByRole('heading', { name: 'Nothing referred to it then' }).waitFor()
    await page.getByRole('button', { name: 'Back to now' }).press('Enter')
    await tables.waitFor()
  })

  it('a person shows what they own, follow and review, at any moment, and leads to what they did', async () => {
    const { id } = await put('users', { name: 'gus' })
    const address = await tableFor(stage.call, 'kept', { owners: ['gus'] })
    await put('glossaries', { name: 'Reviewed', reviewers: ['gus'] })
    await put('domains', { name: 'Known', experts: ['gus'] })
    const table = (await stage.call('GET', pathOf(address))).body
    const before = (await stage.call('GET', '/v1/domains/name/Known')).body.updatedAt as number
    await nextMoment(before)
    await must(stage.call('PUT', `/v1/tables/${table.id}/followers`, id))
    const page = await stage.open('/user/gus?tab=used-by', admin)
    for (const name of ['Owns tables', 'Follows tables', 'Reviews glossaries', 'Expert of domains']) {
      await page
        .getByRole('region', { name, exact: true })
        .getByRole('heading', { name: `${name} 1` })
        .waitFor()
    }
    await page.goto(`${page.url()}&asOf=${new Date(before).toISOString()}`)
    await page.getByRole('region', { name: 'Expert of domains' }).waitFor()
    expect(await page.getByRole('region', { name: 'Follows tables' }).count()).toBe(0)
    await page.getByRole('region', { name: 'Owns tables' }).getByRole('link', { name: 'Show as a list' }).press('Enter')
    await page.getByRole('cell', { name: 'kept', exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'What gus did' }).press('Enter')
    await page.waitForURL('**/activity?user=gus')
    expect(complaintsOf(page)).toEqual([])
  })

  it('offers tags before and by any word, is chosen with the keys, and saves nothing that stands for nothing', async () => {
    await put('classifications', { name: 'PII' })
    await put('tags', { name: 'Sensitive', classification: 'PII' })
    await put('glossaryTerms', { name: 'NR', glossary: 'Business', displayName: 'Net Revenue' })
    const address = await tableFor(stage.call, 'classified')
    const page = await stage.open(address, admin)
    await page.getByRole('button', { name: 'Edit tags and terms' }).press('Enter')
    const field = page.getByRole('region', { name: 'Tags and terms' })
    const box = field.getByRole('combobox', { name: 'Tags and terms', expanded: true })
    await field.getByRole('option', { name: /PII · Sensitive/ }).waitFor()
    await box.fill('pii')
    await expect.poll(() => field.getByRole('option').allInnerTexts()).toEqual(['PII · Sensitive\nPII.Sensitive'])
    await field.getByRole('button', { name: 'Save' }).press('Enter')
    await field.getByRole('alert').getByText('“pii” is not selected').waitFor()
    await box.and(page.locator(':focus')).waitFor()
    await box.press('ArrowDown')
    await field.getByRole('option', { name: /Sensitive/, selected: true }).waitFor()
    await box.press('Enter')
    await field.getByRole('button', { name: 'Remove PII · Sensitive' }).waitFor()
    await box.fill('rev net')
    await field.getByRole('option', { name: /Net Revenue/ }).click()
    await field.getByRole('combobox').fill('nonesuch')
    await field.getByText('Nothing is called “nonesuch”').waitFor()
    const form = page.context().waitForEvent('page')
    await field.getByRole('link', { name: 'Create this tag' }).press('Enter')
    await expect.poll(async () => (await form).getByLabel(/^Name required/).inputValue()).toBe('nonesuch')
    await field.getByRole('combobox').fill('')
    await field.getByRole('button', { name: 'Save' }).press('Enter')
    await field.getByRole('link', { name: 'PII · Sensitive' }).waitFor()
    const { tags } = (await stage.call('GET', pathOf(address))).body
    expect(tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN)).toEqual(['PII.Sensitive', 'Business.NR'])
    await page.getByRole('button', { name: 'Edit tags and terms' }).click()
    await field.getByRole('combobox').fill('pii')
    await field.getByText('Nothing is called “pii”').waitFor()
    await usableByEverybody(page)
  })

  it('says of each value who wrote it, a person or a program, when, and with which request', async () => {
    await put('users', { name: 'loader', isBot: true, displayName: 'Nightly loader' })
    const address = await tableFor(stage.call, 'written')
    const columns = [{ name: 'order_id', dataType: 'BIGINT', description: 'From the loader.' }]
    await patch(stage.call, address, { owners: ['ann'], columns }, tokenFor('loader', ['Admin']))
    await patch(stage.call, address, { description: 'By hand.' }, tokenFor('ann', ['Admin']))
    const page = await stage.open(address, admin)
    await page.getByRole('button', { name: 'Who wrote what', pressed: false }).press('Enter')
    await page
      .getByRole('region', { name: 'Description' })
      .getByText(/^Ann Archer .*, the whole request$/)
      .waitFor()
    await page
      .getByRole('region', { name: 'Owners' })
      .getByText(/^Nightly loader \(a program\) /)
      .waitFor()
    await usableByEverybody(page)
    const column = page.getByRole('row', { name: /order_id/ })
    await column.getByText(/^Nightly loader \(a program\) /).waitFor()
    await column.getByRole('link', { name: 'the whole request' }).press('Enter')
    await page.waitForURL('**/requests/*')
    await page.getByRole('link', { name: 'written' }).first().waitFor()
    const reader = await stage.open(address, ['reader', 'DataConsumer'])
    await reader.getByRole('heading', { name: 'written', level: 1 }).waitFor()
    expect(await reader.getByRole('button', { name: 'Who wrote what' }).count()).toBe(0)
  })

  it('shows how a test went over time, and lets a person resolve the incident that a failure opened', async () => {
    await tableFor(stage.call, 'checked')
    await put('dataQuality/testSuites', { name: 'daily' })
    for (const name of ['rows_are_there', 'never_ran'])
      await put('dataQuality/testCases', {
        name,
        testDefinition: 'tableRowCountToEqual',
        testSuite: 'daily',
        entityLink: '<#E::table::shop.main.public.checked>',
        parameterValues: [{ name: 'value', value: '1' }],
      })
    const testCase = 'shop.main.public.checked.rows_are_there'
    const day = 24 * 60 * 60 * 1000
    const results = Array.from({ length: 5 }, (_, at) => ({
      testCase,
      status: at === 4 ? 'Failed' : 'Success',
      timestamp: Date.now() - (5 - at) * day,
      ...(at === 4 && { message: 'There were none.' }),
    }))
    await put('dataQuality/testCases/results', results)
    const page = await stage.open('/table/shop.main.public.checked', admin)
    const tests = page.getByRole('region', { name: 'Test cases' })
    await tests.getByRole('listitem').filter({ hasText: 'never_ran' }).getByText('not run').waitFor()
    await tests.getByRole('listitem').filter({ hasText: 'rows_are_there' }).getByText('failed').waitFor()
    await tests.getByRole('link', { name: 'rows_are_there' }).press('Enter')
    const shown = page.getByRole('region', { name: 'Results' })
    await shown.getByRole('img', { name: 'Of the last 5 runs 1 did not pass' }).waitFor()
    await shown.getByText('There were none.', { exact: true }).waitFor()
    const incident = shown.getByRole('group', { name: 'Incident' })
    await incident.getByText('open', { exact: true }).waitFor()
    await usableByEverybody(page)
    await incident.getByRole('button', { name: 'Resolve …' }).press('Enter')
    await incident.getByRole('textbox', { name: 'What was wrong' }).fill('The feed was late.')
    await incident.getByRole('button', { name: 'Save' }).press('Enter')
    await incident.getByText(/resolved .* by admin/).waitFor()
    await incident.getByRole('paragraph').filter({ hasText: 'The feed was late.' }).waitFor()
    expect((await stage.call('GET', `/v1/dataQuality/testCases/name/${testCase}`)).body.incident).toMatchObject({
      status: 'Resolved',
      resolvedBy: 'admin',
      openedAt: results[4]?.timestamp,
    })
    await page.goto(`${stage.service.url}/list/testCase`)
    await page.getByRole('button', { name: 'Filters', exact: true }).press('Enter')
    await page
      .getByRole('group', { name: 'Latest result' })
      .getByRole('radio', { name: /^failed/ })
      .press('Space')
    await page.waitForURL('**/list/testCase?validation=Failed')
    const row = page.getByRole('row', { name: /rows_are_there/ })
    await row.getByText('failed', { exact: true }).waitFor()
    await page.getByRole('row', { name: /never_ran/ }).waitFor({ state: 'detached' })
    await row.getByRole('link', { name: 'rows_are_there', exact: true }).press('Enter')
    await page.getByRole('region', { name: 'Tested asset' }).getByRole('link').press('Enter')
    await page.getByRole('heading', { name: 'checked', level: 1 }).waitFor()
  })
}
