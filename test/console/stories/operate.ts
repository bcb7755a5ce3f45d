import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { listening } from '../../support/listening.ts'
import { must, patch, pathOf, tableFor } from '../shop.ts'
import { admin, complaintsOf, type Stage } from '../support.ts'

const mergePatch = { 'content-type': 'application/merge-patch+json' }

/** An endpoint that takes nothing. */
const refusing = async (status = 410): Promise<string> =>
  `${await listening((_, response) => response.writeHead(status).end())}/in`

export const operate = (stage: Stage): void => {
  /** The page with all of its numbers: what stands below them moves when they come. */
  const openOperate = async (): Promise<Page> => {
    const page = await stage.open('/operate', admin)
    await page.getByRole('region', { name: 'Health' }).getByText('ready', { exact: true }).waitFor()
    return page
  }

  it('shows how the catalog does, and how far the read models are', async () => {
    const page = await openOperate()
    await page
      .getByRole('region', { name: 'Health' })
      .getByText(/0 behind the log/)
      .waitFor()
    await page
      .getByRole('region', { name: 'Audit' })
      .getByText(/\d+ events of metadata-catalog/)
      .waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('names the read models that show less than the log, and by how much', async () => {
    const page = await openOperate()
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('0 behind the log').waitFor()
    await page.route('**/readyz', async (route) => {
      const ready = (await (await route.fetch()).json()) as { dependencies: { projections: object } }
      const lag = (events: number) => ({ status: 'up', events, seconds: 1 })
      const behind = { search: lag(1234), timeline: lag(1) }
      const projections = { status: 'up', lag: '2', position: '5000', head: '5002', behind }
      await route.fulfill({ json: { ...ready, dependencies: { ...ready.dependencies, projections } } })
    })
    await health.getByText('2 behind the log').waitFor()
    const coming = health.getByRole('list', { name: 'Read models that lag behind' })
    await coming.getByText('Search: 1.234 more behind').waitFor()
    await coming.getByRole('progressbar', { name: 'Timeline: 1 more behind' }).waitFor()
    await health.getByRole('progressbar', { name: '5.000 of 5.002' }).waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('that is starting says how far it is, and the page comes by itself when it is there', async () => {
    const page = await stage.open('/sign-in', admin)
    const problem = { status: 503, code: 'UNAVAILABLE', title: 'Unavailable', message: 'The catalog is starting.' }
    await page.route('**/api/v1/me', (route) => route.fulfill({ status: 503, json: problem }))
    await page.route('**/readyz', (route) => {
      const projections = { status: 'down', lag: '4000', position: '1000', head: '5000' }
      return route.fulfill({ status: 503, json: { status: 'not ready', dependencies: { projections } } })
    })
    await page.goto(`${stage.service.url}/operate`)
    await page.getByRole('heading', { name: 'The catalog is not ready' }).waitFor()
    await page.getByRole('progressbar', { name: 'The read models have 1.000 of 5.000 events' }).waitFor()
    await page.unroute('**/api/v1/me')
    await page.unroute('**/readyz')
    await page.getByRole('heading', { name: 'Operate', level: 1 }).waitFor()
  })

  it('makes a webhook, shows its secret once, and what becomes of its deliveries', async () => {
    const endpoint = await refusing()
    const page = await openOperate()
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('Name must not be empty').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('downstream')
    await page.getByRole('textbox', { name: 'Endpoint' }).fill(endpoint)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText(/^whsec_/).waitFor()
    for (const _ of [1, 2, 3]) await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page
      .getByRole('status')
      .getByText(/Copied|copy it by hand/)
      .waitFor()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('link', { name: 'downstream' }).click()
    await page.getByRole('heading', { name: 'downstream', level: 1 }).waitFor()
    await must(stage.call('PUT', '/v1/domains', { name: 'Announced' }))
    await page.getByRole('status').getByText('disabled').waitFor()
    await page.getByText(/410/).first().waitFor()
    await page.getByText(/Nothing is sent while it is disabled.* delivery continues after position \d+/).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'There are no webhooks yet' }).waitFor()
  })

  it('says what is wrong with an address, and sends only what is chosen', async () => {
    const page = await openOperate()
    await page.getByRole('button', { name: 'New webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('chosen')
    await dialog.getByRole('textbox', { name: 'Endpoint' }).fill('ftp://example.com/in')
    await dialog.getByRole('checkbox', { name: 'Tables' }).check()
    await dialog.getByRole('checkbox', { name: 'Glossaries' }).check()
    await dialog.getByRole('checkbox', { name: 'Enabled' }).uncheck()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').getByText('must be a complete http or https URL').waitFor()
    await dialog.getByRole('textbox', { name: 'Endpoint' }).fill('http://127.0.0.1:9/in')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('link', { name: 'chosen' }).click()
    await page.getByText('Tables, Glossaries').waitFor()
    await page.getByRole('status').getByText('disabled').waitFor()
    await page.getByRole('button', { name: 'Change' }).click()
    await dialog.getByRole('checkbox', { name: 'Tables' }).uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Tables, Glossaries').waitFor({ state: 'detached' })
    await page.getByText('Glossaries', { exact: true }).last().waitFor()
    expect(complaintsOf(page)).toEqual([])
  })

  it('shows what a receiver does not take, what was given up, and sends that again from there on', async () => {
    const endpoint = await refusing(500)
    const { id } = await must(stage.call('POST', '/v1/webhooks', { name: 'refused', endpoint }))
    const { id: entity } = await must(stage.call('PUT', '/v1/domains', { name: 'Given up' }))
    const { data } = (await stage.call('GET', `/v1/events?entityId=${entity}`)).body
    const { position, subject } = data[0]
    const page = await openOperate()
    const letter = {
      position,
      eventId: crypto.randomUUID(),
      type: 'catalog.domain.Created',
      subject,
      attempts: 10,
      error: 'The endpoint answered 500.',
      time: new Date().toISOString(),
    }
    await page.route(`**/webhooks/${id}/deadLetters*`, (route) =>
      route.fulfill({ json: { data: [letter], paging: { total: 1 } } }),
    )
    await page.getByRole('link', { name: 'refused' }).click()
    await page
      .getByText(/^The receiver does not accept the event at position \d+: The endpoint answered 500\..*tried/)
      .waitFor()
    const row = page.getByRole('row', { name: /Given up .*The endpoint answered 500/ })
    await row.getByRole('link', { name: 'Given up' }).waitFor()
    await row.getByRole('button', { name: `Send again from position ${position} on` }).click()
    const asked = page.waitForRequest(`**/webhooks/${id}/replay`)
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    expect((await asked).postDataJSON()).toEqual({ after: String(BigInt(position) - 1n) })
    await page.getByText(`Everything from position ${position} is being sent again`).waitFor()
    await must(stage.call('DELETE', `/v1/webhooks/${id}`))
    expect(complaintsOf(page)).toEqual([])
  })

  it('makes a token for a program, shows it once, and revokes it', async () => {
    const page = await openOperate()
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the program').fill('loader')
    await dialog.getByLabel(/^Roles/).fill('Ingestor')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').getByText('no such role').waitFor()
    await dialog.getByLabel(/^Roles/).fill('Ingestion, Auditor')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const token = await dialog.getByText(/^eyJ/).innerText()
    const headers = { authorization: `Bearer ${token}` }
    const me = () => fetch(`${stage.service.url}/api/v1/me`, { headers })
    expect(await (await me()).json()).toMatchObject({ roles: ['Ingestion', 'Auditor'] })
    await dialog.getByRole('button', { name: 'I have it' }).click()
    const row = page.getByRole('row', { name: /loader Ingestion, Auditor .* by admin/ })
    await row.getByRole('button', { name: 'Revoke the token of loader' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('heading', { name: 'No program has a token' }).waitFor()
    expect((await me()).status).toBe(401)
    expect(complaintsOf(page)).toEqual([])
  })

  it('says who follows and who voted in the same words as it happens and afterwards', async () => {
    const address = await tableFor(stage.call, 'cherished')
    const { id } = await must(stage.call('GET', pathOf(address)))
    const { id: ann } = await must(stage.call('GET', '/v1/users/name/ann'))
    const page = await stage.open('/activity?kind=table', admin)
    await page.getByText('Live', { exact: true }).waitFor()
    await must(stage.call('PUT', `/v1/tables/${id}/followers`, ann))
    await must(stage.call('PUT', `/v1/tables/${id}/vote`, { updatedVoteType: 'votedUp' }))
    await must(stage.call('PUT', `/v1/tables/${id}/vote`, { updatedVoteType: 'unVoted' }))
    await must(stage.call('DELETE', `/v1/tables/${id}/followers/${ann}`))
    await patch(stage.call, address, { description: 'What is cherished.' })
    const told = async (): Promise<string[]> => {
      const rows = page
        .locator('.moment-body p:first-child')
        .filter({ has: page.getByRole('link', { name: 'cherished' }) })
      return (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
    }
    const sentences = [
      'admin changed description of cherished',
      'admin removed ann as a follower of cherished',
      'admin withdrew a vote on cherished',
      'admin voted for cherished',
      'admin made ann a follower of cherished',
      'admin created cherished',
    ]
    await expect.poll(told).toEqual(sentences)
    await page.reload()
    await expect.poll(told).toEqual(sentences)
    expect(complaintsOf(page)).toEqual([])
  })

  it('leaves out nothing that is done while a page of activity opens, is paused, or is narrowed in another way', async () => {
    const domain = async (name: string): Promise<void> => {
      await must(stage.call('PUT', '/v1/domains', { name }))
    }
    const page = await stage.open('/', admin)
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => (open = resolve))
    await page.route('**/v1/events/stream?*', async (route) => {
      await opened
      await route.continue().catch(() => undefined)
    })
    const told = page.waitForResponse(/v1\/activity\?/)
    await page.goto(`${stage.service.url}/activity?kind=domain`)
    await (await told).finished()
    await domain('While it opened')
    open()
    const deed = (name: string) =>
      page.getByRole('listitem').filter({ hasText: 'admin created' }).getByRole('link', { name, exact: true })
    await deed('While it opened').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await domain('While it was paused')
    await page.getByRole('button', { name: 'Go on' }).click()
    await deed('While it was paused').waitFor()
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Teams')
    await deed('While it was paused').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Domains')
    for (const name of ['While it opened', 'While it was paused'])
      await expect.poll(() => deed(name).count(), { message: name }).toBe(1)
    expect(complaintsOf(page)).toEqual([])
  })

  it('tells what somebody did before, and changes as they happen, narrowed by kind and by person', async () => {
    await must(stage.call('PUT', '/v1/domains', { name: 'Earlier' }))
    const page = await stage.open('/activity?kind=domain', admin)
    const row = page.getByRole('listitem')
    await row.filter({ hasText: 'admin created' }).getByRole('link', { name: 'Earlier' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await must(stage.call('PUT', '/v1/teams', { name: 'unheard' }))
    await must(stage.call('PUT', '/v1/domains', { name: 'Heard' }))
    await page.getByRole('listitem').filter({ hasText: 'admin created' }).getByRole('link', { name: 'Heard' }).waitFor()
    expect(await page.getByText('unheard').count()).toBe(0)
    await page.getByRole('searchbox', { name: 'Person' }).fill('nobody')
    await page.getByRole('heading', { name: 'No matching activity' }).waitFor()
    await page.getByRole('searchbox', { name: 'Person' }).fill('admin')
    await page.getByRole('combobox', { name: 'When' }).selectOption('The last week')
    await row.getByRole('link', { name: 'Earlier' }).waitFor()
    await page.waitForURL(({ search }) => /user=admin.*days=7|days=7.*user=admin/.test(search))
    expect(complaintsOf(page)).toEqual([])
  })

  it('changes of a webhook what was changed here, and never undoes what somebody else did meanwhile', async () => {
    const { id } = await must(
      stage.call('POST', '/v1/webhooks', { name: 'shared', endpoint: 'http://127.0.0.1:9/in', enabled: false }),
    )
    const [one, other] = [await openOperate(), await openOperate()]
    for (const page of [one, other]) {
      await page.getByRole('link', { name: 'shared' }).click()
      await page.getByRole('button', { name: 'Change' }).click()
      expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Name')
    }
    const [here, there] = [one.getByRole('dialog'), other.getByRole('dialog')]
    await there.getByRole('textbox', { name: 'Name' }).fill('renamed')
    await there.getByRole('textbox', { name: 'Name' }).press('Enter')
    await there.waitFor({ state: 'detached' })
    await here.getByRole('checkbox', { name: 'Tables' }).check()
    await here.getByRole('button', { name: 'Save' }).click()
    await here.waitFor({ state: 'detached' })
    expect(await must(stage.call('GET', `/v1/webhooks/${id}`))).toMatchObject({
      name: 'renamed',
      filter: { kinds: ['table'] },
    })
    await one.getByRole('button', { name: 'Change' }).click()
    await here.getByRole('textbox', { name: 'Name' }).fill('mine')
    await must(stage.call('PATCH', `/v1/webhooks/${id}`, { name: 'theirs' }, { headers: mergePatch }))
    await here.getByRole('button', { name: 'Save' }).click()
    await here.getByRole('alert').getByText('Somebody else changed this too').waitFor()
    expect(await must(stage.call('GET', `/v1/webhooks/${id}`))).toMatchObject({ name: 'theirs' })
    await here.getByRole('button', { name: 'Cancel' }).click()
    await one.getByRole('button', { name: 'Send again' }).click()
    await here.getByText('nothing is sent now').waitFor()
    await here.getByRole('textbox').fill('1')
    await here.getByRole('textbox').press('Enter')
    await one.getByText('Everything from position 1 will be sent when it is enabled').waitFor()
    await must(stage.call('DELETE', `/v1/webhooks/${id}`))
    expect([...complaintsOf(one), ...complaintsOf(other)]).toEqual([])
  })
}
