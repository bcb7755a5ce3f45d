import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { dirname, join, posix, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import MiniSearch from 'minisearch'
import { describe, expect, it } from 'vitest'
import { makePages } from '../src/api/http/pages.ts'

const dist = resolve(import.meta.dirname, '../dist')
const site = join(dist, 'docs')
const files = readdirSync(site, { recursive: true, encoding: 'utf8' })
const pages = new Map(
  files.filter((file) => file.endsWith('.html')).map((file) => [file, readFileSync(join(site, file), 'utf8')]),
)

describe('the site of the documentation', () => {
  it('has a page for every sort of reader, and leads nowhere where nothing is', () => {
    for (const name of ['index', 'clients', 'consuming', 'operating', 'console', 'project/CONTRIBUTING'])
      expect([...pages.keys()]).toContain(`${name}.html`)
    const lost = [...pages].flatMap(([page, html]) =>
      [...html.matchAll(/(?:href|src)="([^"]+)"/g)]
        .map(([, target]) => target as string)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [path = '', anchor] = target.split('#')
          const found = path === '' ? page : posix.join(dirname(page), path)
          if (!files.includes(found)) return true
          return anchor !== undefined && !pages.get(found)?.includes(`id="${anchor}"`)
        })
        .map((target) => `${page}: ${target}`),
    )
    expect(lost).toEqual([])
  })

  it('shows no HTML of its sources as text', () =>
    expect([...pages].filter(([, html]) => html.includes('&#60;')).map(([page]) => page)).toEqual([]))

  it('names each page in the bar but ways to load and decisions, which the pages about them list', () => {
    const bar = /<nav[^]*?<\/nav>/.exec(pages.get('index.html') as string)?.[0] ?? ''
    const own = [...pages.keys()].filter((page) => !/^(?:project|adr|loading)\//.test(page))
    expect(own.length).toBeGreaterThan(15)
    expect(own.filter((page) => !bar.includes(`href="${page}"`))).toEqual([])
  })

  it('stands below /docs of the service, with scripts and styles of its own alone', () => {
    const at = makePages(join(dist, 'console'), 'https://example.org/catalog')
    const ask = (path: string) =>
      at({ method: 'GET', path, request: { headers: { accept: 'text/html' } } as unknown as IncomingMessage })
    expect(ask('/docs')).toMatchObject({ status: 302, headers: { Location: '/catalog/docs/index.html' } })
    for (const path of ['/api', '/api/'])
      expect(ask(path)).toMatchObject({ status: 302, headers: { Location: '/catalog/api/docs' } })
    expect(ask('/docs/clients.html')).toMatchObject({ status: 200, contentType: 'text/html; charset=utf-8' })
    expect(ask('/docs/nothing.html')).toBeUndefined()
    expect(
      [...pages.values()].filter((html) => /<script(?! src="[^"]*(minisearch|search)\.js" defer><)/.test(html)),
    ).toEqual([])
    expect(
      [...pages.values()].filter((html) => /\sstyle=|<style|\son\w+=/.test(html.replaceAll(/<pre>[^]*?<\/pre>/g, ''))),
    ).toEqual([])
  })

  it('is searched by words of its sections', () => {
    const index = new MiniSearch({ fields: ['section', 'page', 'words'] })
    index.addAll(JSON.parse(readFileSync(join(site, 'search.json'), 'utf8')) as object[])
    expect(index.search('dead letters webhook').map(({ id }) => id as string)).toContain('consuming.html#webhooks')
    expect(index.search('CATALOG_LOG_FORMAT').length).toBeGreaterThan(0)
  })

  it('searches once its index has come, and fetches that again after a failure', async () => {
    const listeners: Record<string, () => unknown> = {}
    const field = { value: '', addEventListener: (on: string, listen: () => unknown) => (listeners[on] = listen) }
    let shown: unknown[] = []
    const hits = { replaceChildren: (...children: unknown[]) => void (shown = children) }
    const answers: ((response: object) => void)[] = []
    const document = {
      body: { dataset: { root: '.' } },
      getElementById: (id: string) => (id === 'search' ? field : hits),
      createElement: () => ({}),
    }
    const fetch = () => new Promise((answer) => answers.push(answer))
    runInNewContext(readFileSync(join(dist, '../scripts/docs/search.js'), 'utf8'), { document, fetch, MiniSearch })
    const settled = () => new Promise((done) => setImmediate(done))
    const type = (words: string): void => {
      field.value = words
      listeners['input']?.()
    }
    listeners['focus']?.()
    type('web')
    await settled()
    expect([shown, answers.length]).toEqual([[], 1])
    answers[0]?.({ json: () => Promise.reject(new Error('cut off')) })
    await settled()
    expect(shown).toEqual(['The search does not work now: cut off'])
    type('webh')
    answers[1]?.({ json: async () => [{ id: 'a.html', page: 'A', section: 'Webhooks', words: '' }] })
    await settled()
    expect(shown).toEqual([{ href: './a.html', textContent: 'A: Webhooks' }])
    type('nowhere')
    await settled()
    expect([shown, answers.length]).toEqual([['Nothing is found.'], 2])
  })
})
