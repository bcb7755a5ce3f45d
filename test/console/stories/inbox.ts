import { expect, it } from 'vitest'
import { tokenFor } from '../../support/service.ts'
import { must, pathOf, tableFor } from '../shop.ts'
import { complaintsOf, type Stage } from '../support.ts'
import { usableByEverybody } from './everybody.ts'

export const inbox = (stage: Stage): void => {
  it('tells an owner what others did, and what is read stays read', async () => {
    await must(stage.call('PUT', '/v1/users', { name: 'inge' }))
    const address = await tableFor(stage.call, 'told', { owners: ['inge'], description: 'One row for each.' })
    const { id } = (await stage.call('GET', pathOf(address))).body
    const token = { token: tokenFor('reader', ['DataConsumer']) }
    const patch = { description: 'One row for each order.' }
    await must(stage.call('POST', `/v1/tables/${id}/proposals`, { patch }, token))
    const page = await stage.open('/', ['inge', 'DataConsumer'])
    await page.setViewportSize({ width: 640, height: 800 })
    await page.getByRole('link', { name: 'Inbox 2' }).getByText('2').waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'Inbox 2' }).press('Enter')
    const proposed = page.getByRole('listitem', { name: /^told: reader proposes to change description/ })
    await proposed.getByText('Proposal', { exact: true }).waitFor()
    await usableByEverybody(page)
    await proposed.getByRole('button', { name: 'Mark as read: told' }).press('Enter')
    await page.getByRole('link', { name: 'Inbox 1' }).waitFor()
    expect(await page.evaluate('document.activeElement.localName')).toBe('li')
    await page.getByRole('button', { name: 'Mark all as read' }).press('Enter')
    await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
    await page.reload()
    await proposed.waitFor()
    expect(await page.getByRole('button', { name: /^Mark/ }).count()).toBe(0)
    await proposed.getByRole('link', { name: 'told' }).click()
    await page.getByRole('heading', { name: 'told' }).waitFor()
    await page.goBack()
    await proposed.getByRole('link', { name: 'Show the proposal' }).press('Enter')
    await page.getByRole('button', { name: 'Accept', exact: true }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('lets an owner confirm what is to be confirmed, and set another day', async () => {
    await must(stage.call('PUT', '/v1/users', { name: 'ina' }))
    const address = await tableFor(stage.call, 'certified', { owners: ['ina'], confirmBy: '2098-12-31' })
    const page = await stage.open(address, ['ina', 'DataConsumer'])
    await page.getByText('2098-12-31').waitFor()
    await page.getByRole('button', { name: 'Confirm', exact: true }).press('Enter')
    await page.getByLabel('Again by').fill('2099-06-30')
    await usableByEverybody(page)
    await page.getByLabel('Again by').press('Enter')
    await page.getByText('2099-06-30').waitFor()
    const { body } = await stage.call('GET', pathOf(address))
    expect(body).toMatchObject({ confirmBy: '2099-06-30', confirmed: { user: 'ina' } })
    expect(complaintsOf(page)).toEqual([])
  })

  it('says how one is told, sets a channel up, changes it and ends it', async () => {
    await must(stage.call('PUT', '/v1/users', { name: 'dora' }))
    const page = await stage.open('/inbox', ['dora', 'DataConsumer'])
    await page.getByRole('link', { name: 'Notifications' }).press('Enter')
    await page.getByText('Not set up on this server').waitFor()
    await usableByEverybody(page)
    await page.getByRole('button', { name: 'Set up Slack' }).press('Enter')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByRole('alert').getByText('URL is required').waitFor()
    await page.getByLabel('URL').fill(`${stage.service.url}/livez`)
    await page.getByLabel('When').selectOption({ label: 'Once a day, after 08:00' })
    await page.getByLabel('You follow it').uncheck()
    await usableByEverybody(page)
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page
      .getByRole('row', { name: /^Slack Once a day, after 08:00 You own it, Proposal, Failed, To confirm/ })
      .waitFor()
    const token = { token: tokenFor('dora', ['DataConsumer']) }
    const { body } = await stage.call('GET', '/v1/inbox/deliveries', undefined, token)
    expect(body.data).toMatchObject([{ channel: 'slack', when: 'daily' }])
    await page.getByRole('button', { name: 'Stop Slack' }).press('Enter')
    await page.getByRole('dialog', { name: 'Stop Slack?' }).getByRole('button', { name: 'Stop' }).press('Enter')
    await page.getByRole('button', { name: 'Set up Slack' }).waitFor()
    expect(complaintsOf(page).filter((complaint) => !complaint.includes('400'))).toEqual([])
  })

  it('shows what comes while it is open, together with its number', async () => {
    await must(stage.call('PUT', '/v1/users', { name: 'lena' }))
    const page = await stage.blank(['lena', 'DataConsumer'])
    await page.clock.install()
    await page.goto(`${stage.service.url}/inbox`)
    await page.getByRole('heading', { name: 'Your inbox is empty' }).waitFor()
    await tableFor(stage.call, 'coming', { owners: ['lena'] })
    await page.clock.fastForward(61_000)
    await page.getByRole('link', { name: 'Inbox 1' }).waitFor()
    await page.getByRole('listitem', { name: /^coming: / }).waitFor()
  })
}
