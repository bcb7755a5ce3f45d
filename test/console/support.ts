import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { thorough } from '../support/fastCheck.ts'
import { patient, startBuilt, temporaryDataDir, tokenFor, type Call, type RunningService } from '../support/service.ts'
import { findBrowser, launchBrowser, newContext } from './browser.ts'

const executable = findBrowser()

if (executable === undefined) {
  process.stderr.write(
    'SKIPPED: the tests of the console, since there is no Chromium here. Install one, or name it in CATALOG_TEST_BROWSER.\n',
  )
}

/** All of these pages, or in a plain run half of them, among them wide ones and narrow ones. */
export const pagesOfThisRun = <T>(all: readonly T[]): readonly T[] =>
  all.filter((_, at) => thorough || at % 4 === 0 || at % 4 === 3)

type Person = readonly [user: string, ...roles: string[]]

/** A browser, and a catalog for it. */
export interface Stage {
  readonly service: RunningService
  readonly call: Call
  /** A page of somebody who is signed in with these roles, in the one browser that he has in all stories; left out, of nobody. */
  open(path: string, as?: Person): Promise<Page>
  /** A page in a browser of its own, for stories that end the session. */
  openAlone(path: string, as: Person): Promise<Page>
  /** A page of somebody that was nowhere yet, in the browser that he has in all stories. */
  blank(as: Person): Promise<Page>
  /** A browser of its own, of somebody who is signed in. */
  alone(as: Person): Promise<BrowserContext>
}

/** Everything that a page complained of, and whom it asked but its own origin: a console that is right is silent. */
const complaints = new WeakMap<Page, string[]>()

export const complaintsOf = (page: Page): readonly string[] => complaints.get(page) ?? []

const watch = (page: Page): void => {
  const told: string[] = []
  complaints.set(page, told)
  page.on('pageerror', (error) => told.push(error.message))
  page.on('request', (request) => {
    const { protocol, hostname, href } = new URL(request.url())
    if (/^(http|ws)s?:/.test(protocol) && hostname !== '127.0.0.1') told.push(`asked elsewhere: ${href}`)
  })
  page.on('console', (message) => {
    // Chromium reports each answer of 400 and above, and those are part of the stories.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) told.push(message.text())
  })
}

/** Whoever goes somewhere has arrived when the application has taken the place of the frame, which hears no keys. */
const arriving = (page: Page): void => {
  const goto = page.goto.bind(page)
  page.goto = async (...where) => {
    const response = await goto(...where)
    await page.locator('#app .sidebar:empty').waitFor({ state: 'detached' })
    return response
  }
}

/** A page that says whether it is silent, and waits until it has arrived. */
export const newPage = async (context: BrowserContext): Promise<Page> => {
  const page = await context.newPage()
  watch(page)
  arriving(page)
  return page
}

/** From now on the page waits for answers of these addresses until they are released. */
export const held = async (page: Page, addresses: string): Promise<{ release(): void }> => {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(addresses, async (route) => {
    await released
    await route.fallback()
  })
  return { release }
}

/** A browser of its own until the end of the test. */
export const contextOfTest = async (browser: Browser, options?: BrowserContextOptions): Promise<BrowserContext> => {
  const context = await newContext(browser, options)
  onTestFinished(async () => {
    // An answer that is still on its way then is of no concern.
    for (const each of [context, ...context.pages()]) await each.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
  return context
}

const leave = async (page: Page): Promise<void> => {
  // An answer that is still on its way then is of no concern.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
}

/** A browser for many stories: the process of its pages lives on with one of them, and so does what they have compiled. */
const newKeptContext = async (browser: Browser, url: string): Promise<BrowserContext> => {
  const context = await newContext(browser)
  await (await context.newPage()).goto(`${url}/livez`)
  return context
}

const signIn = async (context: BrowserContext, url: string, [user, ...roles]: Person): Promise<void> => {
  await context.request.post(`${url}/api/v1/session`, { data: { token: tokenFor(user, roles) } })
}

/**
 * Declares tests that need a browser; without one they are skipped, and standard error says so.
 * @param fill what the catalog holds before the first test
 */
export const inBrowser = (
  title: string,
  fill: (call: Call, url: string, dataDir: string) => Promise<void>,
  tests: (stage: Stage) => void,
): void => {
  describe.skipIf(executable === undefined)(title, () => {
    const folder = temporaryDataDir()
    let service: RunningService
    let call: Call
    let browser: Browser

    beforeAll(async () => {
      service = await startBuilt(folder.path, {
        CATALOG_LOG_FORMAT: 'text',
        CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true',
        CATALOG_POLICIES_FILE: join(import.meta.dirname, 'policies.yaml'),
      })
      browser = await launchBrowser()
      call = patient(service.call, ['GET', 'PUT'])
      await fill(call, service.url, folder.path)
    })

    afterAll(async () => {
      await browser?.close()
      await service?.stop('SIGKILL')
      await folder.remove()
    })

    const kept = new Map<string, Promise<BrowserContext>>()
    const signedIn = async (as: Person): Promise<BrowserContext> => {
      const found = kept.get(as.join()) ?? newKeptContext(browser, service.url)
      kept.set(as.join(), found)
      const context = await found
      await signIn(context, service.url, as)
      onTestFinished(async () => {
        for (const page of context.pages().slice(1)) await leave(page)
      })
      return context
    }
    const alone = async (as: Person): Promise<BrowserContext> => {
      const context = await contextOfTest(browser)
      await signIn(context, service.url, as)
      return context
    }
    const openIn = async (context: BrowserContext, path: string): Promise<Page> => {
      const page = await newPage(context)
      await page.goto(service.url + path)
      return page
    }

    tests({
      get service() {
        return service
      },
      get call() {
        return call
      },
      open: async (path, as) => openIn(await (as === undefined ? contextOfTest(browser) : signedIn(as)), path),
      openAlone: async (path, as) => openIn(await alone(as), path),
      blank: async (as) => (await signedIn(as)).newPage(),
      alone,
    })
  })
}

export const admin = ['admin', 'Admin'] as const
