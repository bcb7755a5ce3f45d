import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'
import { expect, it } from 'vitest'
import { safetyHeaders } from '../../../src/api/http/browsers.ts'

it.each([false, true])('the safe headers of every answer are those of Helmet (HTTPS: %s)', (secure) => {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const directives = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] }
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: secure ? { includeSubDomains: false } : false,
  })(request, response, () => undefined)
  const { Vary, ...safe } = safetyHeaders({ secure })
  expect(Vary).toBe('Accept-Encoding')
  expect(Object.fromEntries(Object.entries(safe).map(([name, value]) => [name.toLowerCase(), value]))).toEqual(
    response.getHeaders(),
  )
})
