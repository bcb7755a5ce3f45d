import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** What the command line asks for. */
export interface Options {
  /** Names of sections; all when empty. */
  readonly only: readonly string[]
  /** Seconds of one run of the load generator; each line takes the median of three. */
  readonly seconds: number
  readonly connections: number
  /** Entities that are loaded. */
  readonly entities: number
  /** All numbers of entities that were asked for: everything is measured with each of them. */
  readonly sizes: readonly number[]
  /** Seconds of the mixed day. */
  readonly day: number
  /** Against the pair of `CATALOG_EVENTSTORE_URL` and `CATALOG_MONGODB_URL`. */
  readonly external: boolean
  /** With `external`: how many processes share the pair, one number after the other. */
  readonly processes: readonly number[]
  /** Data folder that is loaded once and used again, of several sizes one below it for each; without it a temporary one. */
  readonly folder: string | undefined
  /** Writes a CPU profile of the service into this folder. */
  readonly profile: string | undefined
}

const usage = `Usage: npm run bench -- [--only get,list,…] [--entities 100000,1000000] [--seconds 1.5] [--connections 32] [--day 30] [--folder FOLDER] [--profile FOLDER] [--external] [--processes 1,2,8]`

const number = (text: string, name: string): number => {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} must be a number greater than 0.\n${usage}`)
  return value
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** The same options for one of their sizes. */
export const ofSize = (options: Options, entities: number): Options => ({
  ...options,
  entities,
  folder:
    options.folder === undefined || options.sizes.length === 1
      ? options.folder
      : join(options.folder, String(entities)),
})

/** Reads the command line. @throws Error that says what is wrong */
export const readOptions = (args: string[], sections: readonly string[]): Options => {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '1.5' },
      connections: { type: 'string', default: '32' },
      entities: { type: 'string', default: '100000' },
      day: { type: 'string', default: '30' },
      external: { type: 'boolean', default: false },
      processes: { type: 'string', default: '1,2,8' },
      folder: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const only = namesIn(values.only)
  const unknown = only.filter((name) => !sections.includes(name))
  if (unknown.length > 0)
    throw new Error(`No section is called ${unknown.join(', ')}; there are ${sections.join(', ')}.\n${usage}`)
  const sizes = namesIn(values.entities).map((size) => number(size, 'entities'))
  if (sizes.length === 0) throw new Error(`--entities must be a number greater than 0.\n${usage}`)
  if (values.external && sizes.length > 1) throw new Error(`--external takes one number of entities.\n${usage}`)
  return {
    only,
    seconds: number(values.seconds, 'seconds'),
    connections: number(values.connections, 'connections'),
    entities: sizes[0] as number,
    sizes,
    day: number(values.day, 'day'),
    external: values.external,
    processes: values.processes.split(',').map((count) => number(count, 'processes')),
    folder: values.folder,
    profile: values.profile,
  }
}
