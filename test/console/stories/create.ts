import { expect, it } from 'vitest'
import { kinds, type Kind } from '../../../console/src/api/kinds.ts'
import { createMembers, type Schemas } from '../../../console/src/forms/schema.ts'
import { must } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'

export const create = (stage: Stage): void => {
  it('leads from a name that is taken to what has it, whatever it reads like', async () => {
    const name = 'NOT x:(y'
    const table = { name, databaseSchema: 'shop.main.public', columns: [] }
    await must(stage.call('PUT', '/v1/tables', table))
    const page = await stage.open('/new/table?inKind=databaseSchema&in=shop.main.public', admin)
    await page.getByLabel(/^Name required/).fill(name)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'in the list' }).click()
    const list = await opened
    await list.getByRole('link', { name, exact: true }).waitFor()
    await page.goto(`${stage.service.url}/table/${encodeURIComponent(`shop.main.public."NOT x.(y"`)}`)
    await page.getByRole('button', { name: 'Search for it' }).click()
    await page.getByRole('heading', { name: /results? for/ }).waitFor()
  })

  it('is asked for as the API describes it, in the place where it will stand', async () => {
    const page = await stage.open('/databaseSchema/shop.main.public', admin)
    const described: string[] = []
    page.on('request', (request) => void (request.url().includes('openapi') && described.push(request.url())))
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('link', { name: 'New table here …' }).click()
    await page.getByRole('heading', { name: 'New table' }).waitFor()
    const form = page.locator('form.form')
    await form
      .getByRole('group', { name: /^Database schema/ })
      .getByText('public')
      .waitFor()
    await form.getByLabel(/^Name required/).fill('shipments')
    await form.getByLabel('Description', { exact: true }).fill('What was **sent**.')
    await form.getByRole('combobox', { name: 'Owners' }).fill('sal')
    await form.getByRole('option', { name: /Sales team/ }).click()
    await form.getByRole('button', { name: 'Add a column' }).click()
    await form.getByLabel('Name of column 1').fill('id')
    await form.getByLabel('Type of column 1').selectOption('BIGINT')
    await form.getByText('More fields').click()
    await form.getByLabel('Table type').fill('View')
    await form.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'shipments', level: 1 }).waitFor()
    expect((await stage.call('GET', '/v1/tables/name/shop.main.public.shipments')).body).toMatchObject({
      description: 'What was **sent**.',
      tableType: 'View',
      owners: [{ name: 'sales' }],
      columns: [{ name: 'id', dataType: 'BIGINT' }],
      updatedBy: 'admin',
    })
    // The whole description of the API would be some twenty times as much.
    expect(described).toEqual([`${stage.service.url}/api/openapi.json?part=tables`])
    expect(complaintsOf(page)).toEqual([])
  })

  it('is refused with what is wrong at each member, and nothing that was typed is lost', async () => {
    const page = await stage.open('/new/table', admin)
    const form = page.locator('form.form')
    await form.getByLabel(/^Name required/).fill('a::b')
    await form.getByRole('button', { name: 'Add a column' }).click()
    await form.getByLabel('Name of column 1').fill('id')
    await form.getByText('More fields').click()
    await form.getByLabel('Usage summary').waitFor({ state: 'hidden' })
    // Nobody says yes when asked whether to lose that, and Escape loses nothing here.
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await form.getByLabel('Name of column 1').press('Escape')
    await page.getByRole('link', { name: 'Coverage' }).click()
    await expect.poll(() => asked).toEqual(['confirm'])
    await form.getByRole('button', { name: 'Create' }).click()
    const name = form.getByLabel(/^Name required/)
    await name.and(page.locator('[aria-invalid="true"]')).waitFor()
    await name.and(page.locator(':focus')).waitFor()
    await form
      .getByRole('group', { name: /^Columns/ })
      .getByText('0/dataType')
      .waitFor()
    await form
      .getByRole('group', { name: /^Database schema/ })
      .getByText('is required')
      .waitFor()
    expect([await name.inputValue(), await form.getByLabel('Name of column 1').inputValue()]).toEqual(['a::b', 'id'])
  })

  it('leads to what has its name already', async () => {
    const page = await stage.open('/new/glossary', admin)
    // A keyboard that completes words leaves a blank behind them.
    await page.getByLabel(/^Name required/).fill('Business ')
    await page.getByRole('button', { name: 'Create' }).click()
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'in the list' }).click(),
    ])
    await opened.locator('.list-name', { hasText: 'Business' }).waitFor()
  })

  it('is made out of what holds it: a term below a term, a test of a table', async () => {
    const page = await stage.open('/new/glossaryTerm?inKind=glossaryTerm&in=Business.Order', admin)
    const form = page.locator('form.form')
    await form
      .getByRole('group', { name: /^Glossary/ })
      .getByText('Business')
      .waitFor()
    await form
      .getByRole('group', { name: /^Parent/ })
      .getByText('Order')
      .waitFor()
    await form.getByLabel(/^Name required/).fill('Gift order')
    await form.getByText('More fields').click()
    await form.getByLabel('Synonyms').fill('present\nsurprise')
    await form.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Gift order', level: 1 }).waitFor()
    const term = await must(stage.call('GET', '/v1/glossaryTerms/name/Business.Order.Gift order'))
    expect(term).toMatchObject({ synonyms: ['present', 'surprise'], parent: { name: 'Order' } })
    await page.goto(`${stage.service.url}/new/testCase?inKind=table&in=shop.main.public.orders`)
    await form.getByLabel(/^Entity link/).waitFor()
    const link = () => form.getByLabel(/^Entity link/).inputValue()
    await expect.poll(link).toBe('<#E::table::shop.main.public.orders>')
  })

  it('can be of every kind: what is required has a control of its own, and a parent is chosen by name', async () => {
    const schemasOf = async ({ path }: Kind): Promise<Schemas> => {
      const document = await fetch(`${stage.service.url}/api/openapi.json?part=${path}`)
      return ((await document.json()) as { components: { schemas: Schemas } }).components.schemas
    }
    const schemas = new Map(await Promise.all(kinds.map(async (kind) => [kind.name, await schemasOf(kind)] as const)))
    const membersOf = (name: string) => createMembers(schemas.get(name) as Schemas, name)
    for (const kind of kinds) {
      const members = membersOf(kind.name)
      const controls = members.filter(({ required }) => required).map(({ control }) => control.type)
      expect([kind.name, controls[0], controls.includes('json')]).toEqual([kind.name, 'text', false])
      for (const [child] of kind.below ?? []) {
        const places = membersOf(child).filter(
          ({ control }) => control.type === 'references' && control.kinds.includes(kind.name),
        )
        expect([kind.name, child, places.length > 0]).toEqual([kind.name, child, true])
      }
    }
  })

  it('is not offered to who may not make it', async () => {
    const page = await stage.open('/list/table', ['rita', 'DataConsumer'])
    await page.getByRole('heading', { name: /^Tables/ }).waitFor()
    expect(await page.getByRole('link', { name: 'New', exact: true }).count()).toBe(0)
    await page.goto(`${stage.service.url}/new/table`)
    await page.getByRole('heading', { name: 'Your roles do not allow this' }).waitFor()
  })
}
