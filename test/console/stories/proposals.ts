import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { tokenFor } from '../../support/service.ts'
import { must, patch, pathOf, tableFor } from '../shop.ts'
import { complaintsOf, type Stage } from '../support.ts'
import { usableByEverybody } from './everybody.ts'

const reader = ['reader', 'DataConsumer'] as const
const owner = ['ann', 'DataConsumer'] as const

export const proposals = (stage: Stage): void => {
  const description = async (address: string) => (await stage.call('GET', pathOf(address))).body.description

  const proposed = async (
    name: string,
    members: Record<string, unknown>,
    comment?: string,
    more?: Record<string, unknown>,
  ): Promise<string> => {
    const address = await tableFor(stage.call, name, { owners: ['ann'], description: 'One row for each.', ...more })
    const { id } = (await stage.call('GET', pathOf(address))).body
    const token = { token: tokenFor(reader[0], [reader[1]]) }
    await must(stage.call('POST', `/v1/tables/${id}/proposals`, { patch: members, comment }, token))
    return address
  }

  const card = (page: Page, what: RegExp) => page.getByRole('listitem', { name: what })

  it('offers who may not edit to propose, by keyboard; the owner sees the difference and accepts', async () => {
    const address = await tableFor(stage.call, 'proposed', { owners: ['ann'], description: 'One row for each order.' })
    const page = await stage.open(address, reader)
    await page.getByRole('button', { name: 'Edit the description', exact: true }).press('Enter')
    await page.getByRole('textbox', { name: 'Description' }).fill('One row for each shipment.')
    await page.getByRole('textbox', { name: 'Description' }).press('Control+Enter')
    const dialog = page.getByRole('dialog', { name: 'Propose this change' })
    await dialog.locator('ins', { hasText: 'shipment' }).waitFor()
    await dialog.getByRole('textbox', { name: 'Why' }).fill('Orders are elsewhere.')
    await usableByEverybody(page)
    await dialog.getByRole('button', { name: 'Propose', exact: true }).press('Enter')
    await page.getByRole('status').getByText('Proposed').waitFor()
    await page.getByText('One row for each order.').waitFor()
    expect(await description(address)).toBe('One row for each order.')
    await page.getByRole('link', { name: 'Proposals 1' }).press('Enter')
    const own = card(page, /^description of proposed, proposed by reader/)
    await own.getByText('Orders are elsewhere.').waitFor()
    expect(await own.getByRole('button', { name: 'Accept' }).count()).toBe(0)

    const other = await stage.open('/', owner)
    await other.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Proposals' }).click()
    const shown = card(other, /^description of proposed/)
    await shown.locator('del', { hasText: 'order' }).waitFor()
    await shown.locator('ins', { hasText: 'shipment' }).waitFor()
    await usableByEverybody(other)
    await shown.getByRole('button', { name: 'Accept' }).press('Enter')
    await shown.waitFor({ state: 'detached' })
    expect(await description(address)).toBe('One row for each shipment.')
    await page.reload()
    await own.getByText(/^Accepted by ann/).waitFor()
    await own.locator('ins', { hasText: 'shipment' }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('is made of what its proposer has seen: what changed meanwhile is shown first', async () => {
    const address = await tableFor(stage.call, 'unseen', { owners: ['ann'], description: 'Old text.' })
    const page = await stage.open(address, reader)
    await page.getByRole('button', { name: 'Edit the description', exact: true }).click()
    await page.getByRole('textbox', { name: 'Description' }).fill('Proposed text.')
    await page.getByRole('button', { name: 'Propose …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Propose this change' })
    await patch(stage.call, address, { description: 'Theirs meanwhile.' })
    await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
    await dialog.getByRole('alert').getByText('Somebody has changed this meanwhile.').waitFor()
    await dialog.locator('del', { hasText: 'Theirs' }).waitFor()
    await patch(stage.call, address, { displayName: 'Of no concern' })
    await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
    await page.getByRole('status').getByText('Proposed').waitFor()
  })

  it('is refused with a reason, amended, or withdrawn by who made it', async () => {
    await proposed('refusable', { displayName: 'Other name' })
    const amendable = await proposed('amendable', {
      description: 'Proposed words.',
      tags: [{ tagFQN: 'Privacy.Personal' }],
    })
    await proposed('withdrawable', { displayName: 'Third name' })
    const page = await stage.open('/proposals', owner)
    const refused = card(page, /of refusable/)
    await refused.getByRole('button', { name: 'Refuse …' }).press('Enter')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Why' }).fill('The name is right.')
    // Nobody says yes when asked whether to lose that.
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').getByRole('button', { name: 'Refuse', exact: true }).press('Enter')
    await refused.waitFor({ state: 'detached' })

    // The focus may be on its way to what is left.
    await card(page, /of amendable/)
      .getByRole('button', { name: 'Amend …' })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Amend and accept' })
    await dialog.getByRole('textbox', { name: 'Tags (JSON)' }).fill('[')
    await dialog.getByRole('button', { name: 'Accept with these changes' }).press('Enter')
    await dialog.getByText('Tags is not valid JSON.').waitFor()
    await dialog.getByRole('textbox', { name: 'Tags (JSON)' }).fill('[{ "tagFQN": "Privacy.Personal" }]')
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Better words.')
    await dialog.getByRole('button', { name: 'Accept with these changes' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const { description: words, tags } = (await stage.call('GET', pathOf(amendable))).body
    expect([words, tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN)]).toEqual([
      'Better words.',
      ['Privacy.Personal'],
    ])

    const mine = await stage.open('/proposals?role=mine', reader)
    await card(mine, /of refusable/)
      .getByText('The name is right.')
      .waitFor()
    await card(mine, /of amendable/)
      .getByText(/^Accepted with changes by ann/)
      .waitFor()
    const own = card(mine, /of withdrawable/)
    await own.getByRole('button', { name: 'Withdraw …' }).press('Enter')
    await mine.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).press('Enter')
    await own.getByText(/^Withdrawn by reader/).waitFor()
  })

  it('is amended to what the approver wrote, and to no more', async () => {
    const address = await proposed('narrowed', { extension: { a: 9 }, description: null }, undefined, {
      extension: { a: 1, b: 2 },
    })
    const page = await stage.open(`${address}?tab=proposals`, owner)
    await card(page, /of narrowed/)
      .getByRole('button', { name: 'Amend …' })
      .press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Amend and accept' })
    await dialog.getByRole('textbox', { name: 'Extension (JSON)' }).fill('{ "c": 3 }')
    await dialog.getByRole('textbox', { name: 'Description', exact: true }).fill('5 rows.')
    await dialog.getByRole('button', { name: 'Accept with these changes' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const { description: words, extension } = (await stage.call('GET', pathOf(address))).body
    expect([words, extension]).toEqual(['5 rows.', { c: 3 }])
  })

  it('is what becomes of a change that policy wants a second person for', async () => {
    await must(stage.call('PUT', '/v1/domains', { name: 'Guarded', domainType: 'Aggregate' }))
    const address = await tableFor(stage.call, 'guarded', { domains: ['Guarded'], description: 'First.' })
    const page = await stage.open(address, ['editor', 'Ingestion'])
    await page.getByRole('button', { name: 'Edit the description', exact: true }).press('Enter')
    await page.getByRole('textbox', { name: 'Description' }).fill('Second.')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Propose this change' })
    await dialog.getByText('This change needs a second person').waitFor()
    await dialog.getByRole('button', { name: 'Propose', exact: true }).press('Enter')
    await page.getByRole('link', { name: 'Proposals 1' }).waitFor()
    expect(await description(address)).toBe('First.')
  })

  it('says what others changed meanwhile where an acceptance would undo it', async () => {
    const address = await proposed('overtaken', { description: 'Mine.' })
    await patch(stage.call, address, { description: 'Theirs.' })
    const page = await stage.open(`${address}?tab=proposals`, owner)
    const shown = card(page, /of overtaken/)
    await shown.getByRole('button', { name: 'Accept' }).press('Enter')
    await shown
      .getByRole('alert')
      .getByText(/others changed description by admin/)
      .waitFor()
    expect(await description(address)).toBe('Theirs.')
  })

  it('keeps what is being written of it where somebody else decides meanwhile', async () => {
    const address = await proposed('snatched', { description: 'Mine.' })
    const page = await stage.open('/proposals', owner)
    const shown = card(page, /of snatched/)
    await shown.getByRole('button', { name: 'Amend …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Amend and accept' })
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Ten minutes of work.')
    const { id } = (await stage.call('GET', pathOf(address))).body
    const [open] = (await stage.call('GET', `/v1/tables/${id}/proposals`)).body.data
    await must(stage.call('PUT', `/v1/proposals/${open.id}/refuse`, {}))
    await dialog.getByRole('button', { name: 'Accept with these changes' }).click()
    await dialog.getByRole('alert').waitFor()
    await shown.waitFor({ state: 'detached' })
    expect(await dialog.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('Ten minutes of work.')
  })

  it('shows who else has decided on it meanwhile', async () => {
    const address = await proposed('decided', { description: 'Mine.' })
    const page = await stage.open(`${address}?tab=proposals`, owner)
    const shown = card(page, /of decided/)
    await shown.getByRole('button', { name: 'Accept' }).waitFor()
    const { id } = (await stage.call('GET', pathOf(address))).body
    const [open] = (await stage.call('GET', `/v1/tables/${id}/proposals`)).body.data
    await must(stage.call('PUT', `/v1/proposals/${open.id}/refuse`, {}))
    await shown.getByRole('button', { name: 'Accept' }).press('Enter')
    await page.locator('.toasts').getByText('admin has refused this proposal meanwhile').waitFor()
    await shown.getByText(/^Refused by admin/).waitFor()
  })
}
