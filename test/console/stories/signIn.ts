import { expect, it } from 'vitest'
import { tokenFor } from '../../support/service.ts'
import { orders, pathOf, tableFor } from '../shop.ts'
import { complaintsOf, type Stage } from '../support.ts'

export const signIn = (stage: Stage): void => {
  it('leads from the page that was wanted to the sign-in, and back with a token', async () => {
    const page = await stage.open(`${orders}?tab=history`)
    await page.getByLabel('Token').fill('eyJ.not.one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('JWT').waitFor()
    await page.getByLabel('Token').fill(tokenFor('ann', ['DataSteward']))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()
    await page.waitForURL(`${stage.service.url}${orders}?tab=history`)
    expect(await page.evaluate('[document.cookie, localStorage.length]')).toEqual(['', 0])
    expect(complaintsOf(page)).toEqual([])
  })

  it('works once with the address that the service printed, which then is out of sight', async () => {
    const [, code = ''] = /(#code=[\w-]+)/.exec(stage.service.output()) ?? []
    const page = await stage.open(`/${code}`)
    await page.getByRole('heading', { name: /^Hello, / }).waitFor()
    await page.waitForURL(`${stage.service.url}/`)
    const again = await stage.open(`/${code}`)
    await again.getByText('This address was used already').waitFor()
  })

  it('is enough to try the API in its documentation, which says how to get a token elsewhere', async () => {
    const page = await stage.open('/api/docs?part=session#?route=get-/v1/me', ['ann', 'DataSteward'])
    expect(await page.getByLabel('Part of the API').inputValue()).toBe('session')
    await page.getByRole('button', { name: 'Execute' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('"ann"').first().waitFor()
    const authentication = page.locator('.nav-bar-info').getByText('Authentication')
    await authentication.focus()
    await page.keyboard.press('Enter')
    await page.getByText('catalog token --user me --role Admin').waitFor()
    await page.getByLabel('Part of the API').selectOption('domains')
    await page.locator('header').getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**/api/docs?part=domains')
    await page.getByText('List the entities of kind domain').first().waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('offers nothing that the roles do not allow', async () => {
    const reader = await stage.open(orders, ['rita', 'DataConsumer'])
    await reader.getByRole('button', { name: 'Follow' }).waitFor()
    await reader.getByRole('button', { name: 'Edit the description', exact: true }).click()
    await reader.getByRole('button', { name: 'Propose …' }).waitFor()
    expect(await reader.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
    expect(await reader.getByRole('link', { name: 'Operate' }).count()).toBe(0)
    expect(await reader.getByRole('link', { name: 'Activity' }).count()).toBe(0)
    const steward = await stage.open(orders, ['stu', 'DataSteward'])
    await steward.getByRole('button', { name: 'Edit the description', exact: true }).waitFor({ state: 'attached' })
  })

  it('that has ended is said in words for people, and signing in leads back', async () => {
    const page = await stage.open(orders, ['stu', 'DataSteward'])
    await page.getByRole('button', { name: /^Follow/ }).waitFor()
    await page.context().clearCookies()
    await page.getByRole('button', { name: /^Follow/ }).click()
    await page
      .locator('.toasts')
      .getByText(/^You are signed out\. Sign in again/)
      .waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').last().click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await page.waitForURL('**/databaseSchema/shop.main.public')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Token').fill(tokenFor('stu', ['DataSteward']))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'public', level: 1 }).waitFor()
    await page.waitForURL('**/databaseSchema/shop.main.public')
  })

  it('of somebody else in another tab writes nothing in a page that still shows the first', async () => {
    const address = await tableFor(stage.call, 'shared')
    const ann = await stage.openAlone(address, ['ann', 'Admin'])
    await ann.getByRole('button', { name: 'Edit the description', exact: true }).click()
    const text = ann.getByRole('textbox', { name: 'Description' })
    await text.fill('The words of Ann.')
    const token = (user: string) => ({ data: { token: tokenFor(user, ['Admin']) } })
    await ann.context().request.post(`${stage.service.url}/api/v1/session`, token('ben'))
    await text.press('Control+Enter')
    await ann.getByRole('alert').getByText('You are signed out.').first().waitFor()
    expect(await text.inputValue()).toBe('The words of Ann.')
    await ann.context().request.post(`${stage.service.url}/api/v1/session`, token('ann'))
    await text.press('Control+Enter')
    await ann.locator('.markdown').getByText('The words of Ann.').waitFor()
    const { updatedBy, description } = (await stage.call('GET', pathOf(address))).body
    expect([updatedBy, description]).toEqual(['ann', 'The words of Ann.'])
  })

  it('that has ended while somebody writes leads to another tab to sign in', async () => {
    const page = await stage.openAlone(orders, ['stu', 'DataSteward'])
    await page.getByRole('button', { name: 'Edit the description', exact: true }).click()
    const text = page.getByRole('textbox', { name: 'Description' })
    await text.fill('Not lost.')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('alert').getByRole('link', { name: 'Sign in in another tab' }).click()
    await (await opened).getByLabel('Token').waitFor()
    expect(await text.inputValue()).toBe('Not lost.')
  })

  it('ends with signing out', async () => {
    const page = await stage.open('/', ['ann', 'Admin'])
    await page.getByRole('button', { name: 'You', exact: true }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByLabel('Token').waitFor()
    await page.goto(`${stage.service.url}${orders}`)
    await page.getByLabel('Token').waitFor()
  })

  it('ends everywhere: by the person, and by an administrator on the page of the user', async () => {
    const [here, there] = [await stage.openAlone('/', ['ann', 'Admin']), await stage.openAlone('/', ['ann', 'Admin'])]
    await here.getByRole('button', { name: 'You', exact: true }).click()
    await here.getByRole('button', { name: 'Sign out everywhere' }).click()
    await here.getByLabel('Token').waitFor()
    await there.goto(`${stage.service.url}${orders}`)
    await there.getByLabel('Token').waitFor()
    const [ada, ann] = [await stage.open('/user/ann', ['ada', 'Admin']), await stage.openAlone('/', ['ann', 'Admin'])]
    await ada.getByRole('button', { name: 'More' }).click()
    await ada.getByRole('button', { name: 'End all sessions' }).click()
    await ada.locator('.toasts').getByText('All sessions have ended').waitFor()
    await ann.goto(`${stage.service.url}${orders}`)
    await ann.getByLabel('Token').waitFor()
  })
}
