import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'
import { longEnough } from '../support/patience.ts'
import { stress } from './stress.ts'

/** Where browsers of the Chromium family are found: first the one without windows, which takes a third less processor time. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/microsoft-edge',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** The browser that `CATALOG_TEST_BROWSER` names, else one that is found. */
export const findBrowser = (): string | undefined =>
  [process.env['CATALOG_TEST_BROWSER'], ...places].find((path) => path !== undefined && existsSync(path))

/** @throws Error when there is none */
export const browserPath = (): string => {
  const path = findBrowser()
  if (path !== undefined) return path
  throw new Error('There is no Chromium here. Install one, or name it in CATALOG_TEST_BROWSER.')
}

/** All pages of a person are one process, and none waits for a page to come: starting one costs more than most stories. */
const processes = ['--process-per-site', '--disable-features=SpareRendererForSitePerProcess,Translate']

/** Starts it as tests need it. @throws Error when there is none */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath(),
    args: ['--no-sandbox', '--disable-gpu', ...processes],
    timeout: longEnough,
  })

/** A browser of somebody, who waits as long as a busy machine needs: a page that will never be right need not be quick to say so. */
export const newContext = async (browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> => {
  const context = await browser.newContext({ locale: 'de-DE', timezoneId: 'Europe/Berlin', ...options })
  context.setDefaultTimeout(longEnough)
  await stress(context)
  return context
}
