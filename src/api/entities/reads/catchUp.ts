import { ProjectionBehind } from '../../../projections/errors.ts'
import { isBehind } from '../../../projections/progress.ts'
import type { Api } from '../../deps.ts'
import { HttpError } from '../../http/problemDetails.ts'
import type { ApiRequest } from '../../http/route.ts'

/**
 * Waits until a projection shows what the entities show, as long as it comes on. @throws ProjectionBehind when it
 * stands still
 */
export const levelWithEntities = async ({ runner }: Pick<Api, 'runner'>, projection: string): Promise<void> => {
  const shown = await runner.shown()
  if (shown === undefined) return
  for (const begun = performance.now(); ;) {
    const before = runner.position(projection)
    try {
      return await runner.waitFor(shown, undefined, projection)
    } catch (error) {
      const comesOn = isBehind(before, runner.position(projection)) && performance.now() - begun < longestLevel
      if (!(error instanceof ProjectionBehind) || !comesOn) throw error
    }
  }
}

/** Milliseconds, at most, before the last such wait. A request has 30 seconds. */
const longestLevel = 20_000

/**
 * Is it a position of this log? What is shown may be behind the newest event of the catalog, where others append to the
 * same store: then it is one too.
 */
export const isOfTheLog = async ({ runner, log }: Pick<Api, 'runner' | 'log'>, position: bigint): Promise<boolean> =>
  position <= ((await log.head()) ?? -1n) || position <= ((await runner.shown()) ?? -1n)

/** Waits until the read models show what the client has seen: `Catalog-Position` of an earlier answer. */
export const catchUp = async (api: Api, request: ApiRequest): Promise<void> => {
  const { runner } = api
  const header = request.headers['catalog-position']
  if (header === undefined) return
  if (typeof header !== 'string' || !/^\d{1,19}$/.test(header))
    throw badHeaderPosition('must be a position that an answer of this catalog gave')
  const position = BigInt(header)
  if ((runner.position() ?? -1n) >= position) return
  if (!(await isOfTheLog(api, position))) throw badHeaderPosition('is beyond the end of this catalog’s log')
  await runner.waitFor(position)
}

const badHeaderPosition = (message: string) => new HttpError('BAD_REQUEST', `Catalog-Position ${message}.`)
