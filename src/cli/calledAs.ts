import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, relative } from 'node:path'

export interface Started {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Path of the program, as it was given. */
  readonly script: string
  readonly folder: string
  /** Name of the container whose one program it is; `undefined`: it is none's. */
  readonly container: string | undefined
}

const containerMarks = ['/.dockerenv', '/run/.containerenv']

/** What runs as the first process of a container only to look after the one that it is for. */
const inits = ['catatonit', 'docker-init', 'dumb-init', 'init', 'podman-init', 's6-svscan', 'tini']

const isBelowInit = (): boolean => {
  if (process.ppid !== 1) return false
  try {
    return inits.includes(readFileSync('/proc/1/comm', 'utf8').trim())
  } catch {
    return false
  }
}

/**
 * People work in containers, too, also in a shell that is the first process, or with `nohup`: only the first process of
 * one, or its child under an init, is what it was started for.
 */
const isContainersProgram = (): boolean =>
  (process.pid === 1 || isBelowInit()) &&
  (process.env['KUBERNETES_SERVICE_HOST'] !== undefined || containerMarks.some((path) => existsSync(path)))

export const started = (): Started => ({
  env: process.env,
  script: process.argv[1] ?? '',
  folder: process.cwd(),
  container: isContainersProgram() ? hostname() : undefined,
})

/** How the command line is to be called, by somebody who started the service like this: put a command behind it. */
export const calledAs = ({ env, script, folder, container }: Started): string => {
  if (env['npm_command'] === 'exec') return 'npx catalog'
  if (env['npm_lifecycle_event'] !== undefined && env['npm_package_name'] === 'metadata-catalog')
    return 'npm run --silent catalog --'
  if (container !== undefined)
    return env['KUBERNETES_SERVICE_HOST'] === undefined
      ? `docker exec ${container} catalog`
      : `kubectl exec ${container} -- catalog`
  if (basename(script) === 'catalog') return 'catalog'
  return `node ${relative(folder, script)}`
}
