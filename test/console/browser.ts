import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'
import { longEnough } from '../support/patience.ts'

/** Where browsers of the Chromium family are found. */
const places = [
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

/** Starts it as tests need it. @throws Error when there is none */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox', '--disable-gpu'], timeout: longEnough })
