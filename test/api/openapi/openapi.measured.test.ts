import { expect, it } from 'vitest'
import { z } from 'zod'
import { longestTurnAtBest } from '../../support/longestTurn.ts'
import { openApiDocument } from '../../../src/api/openapi/openapi.ts'
import { jsonBody, ok, route } from '../support.ts'
import { atThisPace } from '../../support/processorTime.ts'

it('The API description is made in slices that let others through', async () => {
  const wide = (at: number) =>
    z
      .strictObject(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`m${n}`, z.string().describe(`${n}`)])))
      .meta({ id: `Wide${at}` })
  const routes = Array.from({ length: 600 }, (_, at) =>
    route('post', `/v1/wide${at}`, ok, { body: { ...jsonBody, schema: wide(at) } }),
  )
  const make = () => openApiDocument(routes)
  expect(await longestTurnAtBest(make)).toBeLessThan(atThisPace(150))
})
