import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makePages } from '../../../src/api/http/pages.ts'
import { revalidated } from '../../../src/api/http/preconditions.ts'

const folder = mkdtempSync(join(tmpdir(), 'catalog-pages-'))
mkdirSync(join(folder, 'assets'))
const index =
  '<head><meta name="catalog-base" content="" /><script src="./assets/app-1.js"></script><link href="./icon.svg"></head>'
writeFileSync(join(folder, 'index.html'), index)
writeFileSync(join(folder, 'icon.svg'), '<svg/>')
writeFileSync(join(folder, 'assets/app-1.js'), 'plain')

afterAll(() => rmSync(folder, { recursive: true }))

const browser = { accept: 'text/html,application/xhtml+xml', 'accept-encoding': 'gzip, deflate, br' }

const ask = (path: string, headers: Record<string, string> = browser, method = 'GET', baseUrl?: string) => {
  const page = makePages(folder, baseUrl)({ method, path, request: { headers } as unknown as IncomingMessage })
  return page && revalidated({ method, headers }, page)
}

const text = (answer: ReturnType<typeof ask>): string => String(answer?.body ?? '')

describe('the console’s files', () => {
  it('are one page at every address that a browser opens, asked for anew each time', () => {
    for (const path of ['/', '/table/shop.orders', '/search', '/table/a.b/c.png']) {
      const answer = ask(path)
      expect([path, answer?.status, answer?.contentType]).toEqual([path, 200, 'text/html; charset=utf-8'])
      expect(answer?.headers?.['Cache-Control']).toBe('no-cache')
    }
    const etag = ask('/')?.headers?.['ETag'] as string
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect([known, ask('/', { ...browser, 'if-none-match': known })?.status]).toEqual([known, 304])
  })

  it('are kept for ever when their name changes with them', () => {
    const answer = ask('/assets/app-1.js', {})
    expect(answer?.headers).toMatchObject({ 'Cache-Control': 'public, max-age=31536000, immutable' })
    expect(answer?.headers).not.toHaveProperty('ETag')
    expect(text(answer)).toBe('plain')
  })

  it('let nothing in from elsewhere', () => {
    const policy = ask('/')?.headers?.['Content-Security-Policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })

  it('are nothing to programs, to other methods, and where an asset is missing', () => {
    expect(ask('/elsewhere', { accept: '*/*' })).toBeUndefined()
    expect(ask('/', browser, 'POST')).toBeUndefined()
    expect(ask('/assets/gone.js')).toBeUndefined()
    expect(ask('/../package.json', { accept: '*/*' })).toBeUndefined()
  })

  it('know the path that a proxy puts in front of them', () => {
    const page = text(ask('/', browser, 'GET', 'https://data.example/catalog'))
    expect(page).toContain('content="/catalog"')
    expect(page).toContain('src="/catalog/assets/app-1.js"')
    expect(page).toContain('href="/catalog/icon.svg"')
    expect(text(ask('/'))).toContain('src="/assets/app-1.js"')
  })

  it('say so when they were never built', () => {
    const pages = makePages(join(folder, 'nowhere'), undefined)
    const answer = pages({ method: 'GET', path: '/', request: { headers: browser } as unknown as IncomingMessage })
    expect(String(answer?.body)).toContain('npm run build')
  })
})
