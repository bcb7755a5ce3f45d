import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { longEnough } from './patience.ts'

const commandLine = join(import.meta.dirname, '../../dist/cli')

const script = `(async () => {
  const { commands } = await import(process.argv[1] + '/commands.js')
  const { parseArguments } = await import(process.argv[1] + '/command/command.js')
  const codes = []
  for (const [name, ...args] of JSON.parse(process.argv[2])) {
    const command = await commands[name].load()
    codes.push(await command.run(parseArguments(command, args)).catch(({ message }) => message))
  }
  process.stdout.write(JSON.stringify(codes) + '\\n')
})()`

/**
 * Runs built commands one after the other in one process of another user, or through another program.
 * @returns what they print; the last line has their exit codes
 */
export const runAll = (
  env: NodeJS.ProcessEnv,
  calls: readonly (readonly string[])[],
  user: { uid?: number; gid?: number } = {},
  through: readonly string[] = [],
): string => {
  const node = ['-e', script, commandLine, JSON.stringify(calls)]
  const [command, ...args] = [...through, process.execPath, ...node] as [string, ...string[]]
  const { stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8', timeout: longEnough, cwd: '/', ...user })
  return stderr + stdout
}
