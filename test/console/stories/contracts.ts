import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { must, pathOf, tableFor } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'

const document = (latency: number) => `apiVersion: v3.1.0
kind: DataContract
id: 0d1c9c9e-9f0a-4a6e-8d3b-6f0f7c9f0a11
name: Promises
version: 2.0.0
status: active
description:
  purpose: What is promised.
  usage: Every morning.
schema:
  - name: imported
    properties:
      - name: order_id
        logicalType: integer
slaProperties:
  - property: latency
    value: ${latency}
    unit: d
price:
  priceAmount: 9.95
  priceCurrency: EUR
`

/** Chooses a file of the disk to be imported. */
const choose = (page: Page, name: string, text: string | Buffer): Promise<void> =>
  page.getByLabel('An ODCS document').setInputFiles({ name, mimeType: 'application/yaml', buffer: Buffer.from(text) })

export const contracts = (stage: Stage): void => {
  const contractOf = async (address: string) => {
    const { id } = (await stage.call('GET', pathOf(address))).body
    return stage.call('GET', `/v1/dataContracts/entity?entityId=${id}&entityType=table`)
  }

  it('are written as YAML, with problems at their lines while typing', async () => {
    const address = await tableFor(stage.call, 'written')
    const page = await stage.open(`${address}?tab=contract`, admin)
    await page.getByRole('heading', { name: 'No contract yet' }).waitFor()
    await page.getByRole('button', { name: 'Write one' }).click()
    const editor = page.getByRole('textbox', { name: 'The contract as YAML' })
    await page.getByText('A valid document').waitFor()
    const first = await editor.inputValue()
    const line = first.split('\n').findIndex((each) => each.startsWith('status:')) + 1
    await editor.fill(first.replace('status: draft', 'statuss: draft'))
    await page.getByRole('button', { name: new RegExp(`line ${line} .*statuss`) }).waitFor()
    await page.getByRole('button', { name: 'Save', disabled: true }).waitFor()
    // Nobody says yes when asked whether to lose that.
    await page.getByRole('link', { name: 'Overview' }).click()
    await editor.fill(first.replace('status: draft', 'status: active'))
    await page.getByText('A valid document').waitFor()
    await page.getByRole('button', { name: 'Compare with the asset' }).click()
    await page.getByText(/The asset has all of/).waitFor()
    await editor.fill(' ')
    await page.getByText('1 problem').waitFor()
    expect(await page.getByText(/The asset has all of/).count()).toBe(0)
    await page.getByRole('button', { name: 'Save', disabled: true }).waitFor()
    await editor.fill(first.replace('status: draft', 'status: active'))
    await page.getByText('A valid document').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Promised columns' }).getByText('customer_id').waitFor()
    expect((await contractOf(address)).body).toMatchObject({ entityStatus: 'Active', updatedBy: 'admin' })
    expect(complaintsOf(page)).toEqual([])
  })

  it('keep what is being written of them when the page is looked at again, and what somebody else has saved', async () => {
    const address = await tableFor(stage.call, 'resumed')
    const { id } = (await stage.call('GET', pathOf(address))).body
    const sla = { availability: 99.9996 }
    const contract = (description: string) =>
      stage.call('PUT', '/v1/dataContracts', { name: 'resumed', entity: { type: 'table', id }, description, sla })
    await contract('At first.')
    const page = await stage.open(`${address}?tab=contract`, admin)
    await page.getByRole('region', { name: 'Service levels' }).getByText('99.9996 %').waitFor()
    await page.getByRole('button', { name: 'Edit as YAML' }).click()
    const editor = page.getByRole('textbox', { name: 'The contract as YAML' })
    const written = (await editor.inputValue()).replace('At first.', 'Written.')
    await editor.fill(written)
    await contract('Theirs.')
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
    await page.getByText('A valid document').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('Somebody has changed this meanwhile.').waitFor()
    await page.locator('del', { hasText: 'Theirs' }).waitFor()
    expect(await editor.inputValue()).toBe(written)
    const { body } = await contractOf(address)
    expect(body.description).toBe('Theirs.')
    // Results are no change of what is written.
    await must(stage.call('POST', `/v1/dataContracts/${body.id}/validate`))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.toasts').getByText('The contract is saved').waitFor()
    expect((await contractOf(address)).body.description).toBe('Written.')
  })

  it('are imported from a file, after a look at what becomes of every value', async () => {
    const address = await tableFor(stage.call, 'imported')
    const page = await stage.open(`${address}?tab=contract`, admin)
    await page.getByRole('heading', { name: 'No contract yet' }).waitFor()
    await choose(page, 'promises.yaml', document(4))
    const dialog = page.getByRole('dialog', { name: 'Import promises.yaml' })
    await dialog.getByText('read as ODCS v3.1.0').waitFor()
    await dialog.getByRole('region', { name: 'SLA' }).getByText('P4D').waitFor()
    const noted = document(4).split('\n').indexOf('price:') + 1
    await dialog.getByRole('button', { name: new RegExp(`line ${noted} .*price`) }).waitFor()
    await dialog.getByText(/^1 value of it stays in the document only/).waitFor()
    expect((await contractOf(address)).status).toBe(404)
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('region', { name: 'Service levels' }).getByText('4 days').waitFor()

    await choose(page, 'promises.yaml', document(5))
    await dialog.getByRole('region', { name: 'SLA' }).getByText('P5D').waitFor()
    await expect.poll(() => dialog.getByRole('region').count()).toBe(1)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect((await contractOf(address)).body.sla.latency).toBe('P4D')

    await choose(page, 'promises.yaml', document(5))
    await dialog.getByRole('region', { name: 'SLA' }).getByText('P5D').waitFor()
    const { id } = (await contractOf(address)).body
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } }
    await must(stage.call('PATCH', `/v1/dataContracts/${id}`, { sla: { latency: 'P9D' } }, merge))
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByText('Somebody has changed this meanwhile.').waitFor()
    await dialog.getByRole('region', { name: 'SLA' }).getByText('P9D').waitFor()
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('region', { name: 'Service levels' }).getByText('5 days').waitFor()

    await page.getByRole('button', { name: 'Validate' }).click()
    await page.getByRole('region', { name: 'Latest result' }).getByText('Success').waitFor()
    await page.getByRole('button', { name: 'More about the contract' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as YAML' }).click(),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString()).toContain('priceAmount: 9.95')
    await page.goto(`${stage.service.url}/dataContract/${(await contractOf(address)).body.fullyQualifiedName}`)
    await page.getByRole('region', { name: 'Latest result' }).locator('time').waitFor()
  })

  it('are dropped anywhere on the page', async () => {
    const address = await tableFor(stage.call, 'dropped')
    const page = await stage.open(`${address}?tab=contract`, admin)
    await page.getByRole('heading', { name: 'No contract yet' }).waitFor()
    const text = JSON.stringify(document(4).replace('imported', 'dropped'))
    const dataTransfer = await page.evaluateHandle(`(() => {
      const files = new DataTransfer()
      files.items.add(new File([${text}], 'dropped.yaml', { type: 'application/yaml' }))
      return files
    })()`)
    const elsewhere = page.getByRole('heading', { name: 'dropped', level: 1 })
    await elsewhere.dispatchEvent('dragover', { dataTransfer })
    await page.getByText('Drop the file for a preview').waitFor()
    await elsewhere.dispatchEvent('drop', { dataTransfer })
    const dialog = page.getByRole('dialog', { name: 'Import dropped.yaml' })
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('region', { name: 'Service levels' }).getByText('4 days').waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('that promise what the asset does not have say so at the line, and cannot be imported', async () => {
    const address = await tableFor(stage.call, 'imported_in_vain')
    const page = await stage.open(`${address}?tab=contract`, admin)
    await page.getByRole('heading', { name: 'No contract yet' }).waitFor()
    const text = document(4).replace('name: imported', 'name: imported_in_vain').replace('order_id', 'no_such_column')
    const line = text.split('\n').indexOf('      - name: no_such_column') + 1
    await choose(page, 'vain.yaml', text)
    const dialog = page.getByRole('dialog', { name: 'Import vain.yaml' })
    await dialog.getByRole('alert').getByText('It cannot be imported as it is: 1 problem, at its line below.').waitFor()
    await dialog.getByRole('button', { name: new RegExp(`line ${line} .*no_such_column`) }).waitFor()
    await dialog.getByRole('button', { name: 'Import', exact: true, disabled: true }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('that cannot be read say why, where, and are not imported', async () => {
    const address = await tableFor(stage.call, 'unreadable')
    const page = await stage.open(`${address}?tab=contract`, admin)
    await page.getByRole('heading', { name: 'No contract yet' }).waitFor()
    await choose(page, 'bad.yaml', 'kind: [DataContract\nname: x\n')
    const dialog = page.getByRole('dialog', { name: 'Import bad.yaml' })
    await dialog.getByRole('alert').getByText('1 problem').waitFor()
    await page.keyboard.press('Escape')
    await choose(page, 'bad.yaml', '\n')
    await page.getByText('bad.yaml is empty.').waitFor()
    await choose(page, 'latin.yaml', Buffer.from('kind: DataContract\nname: Köln\n', 'latin1'))
    await page.getByText('latin.yaml is not a text file in UTF-8').waitFor()
    expect(await dialog.count()).toBe(0)
  })
}
