import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { runCliAlongside, startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'
import { findBrowser, launchBrowser, newContext } from './browser.ts'

/** A catalog that has the demo company, and a browser for it. */
export interface Company {
  readonly url: string
  /** A browser in which Ann, an administrator, has signed in. */
  signedIn(): Promise<BrowserContext>
}

/** Declares tests over the demo company that need a browser; without one they are skipped. */
export const inCompany = (title: string, tests: (company: Company) => void): void => {
  describe.skipIf(findBrowser() === undefined)(title, () => {
    const data = temporaryDataDir()
    let service: RunningService
    let browser: Browser

    beforeAll(async () => {
      service = await startBuilt(data.path)
      expect(await runCliAlongside(data.path, ['seed', '--url', service.url])).toMatchObject({ code: 0 })
      browser = await launchBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await service?.stop('SIGKILL')
      await data.remove()
    })

    tests({
      get url() {
        return service.url
      },
      signedIn: async () => {
        const context = await newContext(browser)
        await context.request.post(`${service.url}/api/v1/session`, { data: { token: tokenFor('ann', ['Admin']) } })
        return context
      },
    })
  })
}

/** A table of the company. */
export const orderTable = '/table/shop_postgres.shop.orders.order'
