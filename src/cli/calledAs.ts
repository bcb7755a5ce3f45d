import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, relative } from 'node:path'

/** What tells how this process was started. */
export interface Started {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Path of the program, as it was given. */
  readonly script: string
  readonly folder: string
  /** Name of the container whose one program it is; `undefined`: it is none's. */
  readonly container: string | undefined
}

const containerMarks = ['/.dockerenv', '/run/.containerenv']

/** People work in containers, too: only the first process of one, or its child under an init, is what it was started for. */
const isContainersProgram = (): boolean =>
  (process.pid === 1 || process.ppid === 1) &&
  (process.env['KUBERNETES_SERVICE_HOST'] !== undefined || containerMarks.some((path) => existsSync(path)))

/** How this process was started. */
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
