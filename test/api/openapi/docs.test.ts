import { describe, expect, it } from 'vitest'
import { systemRoutes } from '../../../src/api/system/systemRoutes.ts'
import { ask, running } from '../support.ts'
import { runningSystem, well } from '../system.ts'

describe('the documentation', () => {
  it('is a page that loads only what the catalog serves', async () => {
    const api = await runningSystem()
    const response = await fetch(`${api.url}/api/docs?part=system`)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';")
    const html = await response.text()
    expect(html).toContain('<option value="system" selected>')
    const links = [...html.matchAll(/(?:src|spec-url)="([^"]*)"/g)].map((match) => match[1] as string)
    expect(links).toContain('/api/openapi.json?part=system')
    for (const link of links) {
      const file = await fetch(new URL(link, api.url))
      expect([link, file.status]).toEqual([link, 200])
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100)
    }
  })

  it.each(['package.json', '..%2Fpackage.json', 'openapi-explorer.min.js.map', 'index.html', 'constructor'])(
    'has no file %s',
    async (file) => {
      expect((await ask(await runningSystem(), `/api/docs/${file}`)).status).toBe(404)
    },
  )

  it('stands below the public path', async () => {
    const api = await running(
      systemRoutes(well, () => []),
      { baseUrl: 'https://example.org/catalog' },
    )
    expect(await (await fetch(`${api.url}/api/docs/`)).text()).toContain(
      'src="/catalog/api/docs/openapi-explorer.min.js"',
    )
  })
})
