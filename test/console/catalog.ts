import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { runCliAlongside, startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'
import { findBrowser, launchBrowser, newContext } from './browser.ts'
import { fillShop } from './shop.ts'

/** A catalog, and a browser for it. */
export interface Catalog {
  readonly url: string
  /** A browser in which Ann, an administrator, has signed in. */
  signedIn(): Promise<BrowserContext>
}

/**
 * Declares tests that need a catalog and a browser; without one they are skipped.
 * @param fill what the catalog holds before the first test
 */
export const inCatalog = (
  title: string,
  fill: (service: RunningService, dataDir: string) => Promise<void>,
  tests: (catalog: Catalog) => void,
): void => {
  describe.skipIf(findBrowser() === undefined)(title, () => {
    const data = temporaryDataDir()
    let service: RunningService
    let browser: Browser

    beforeAll(async () => {
      service = await startBuilt(data.path)
      await fill(service, data.path)
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

export const shop = ({ call }: RunningService): Promise<void> => fillShop(call)

/** The demo company. */
export const company = async ({ url }: RunningService, dataDir: string): Promise<void> =>
  expect(await runCliAlongside(dataDir, ['seed', '--url', url])).toMatchObject({ code: 0 })

/** A table of the company. */
export const orderTable = '/table/shop_postgres.shop.orders.order'
