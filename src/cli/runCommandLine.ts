import { LinesError } from '../shared/errors/linesError.ts'
import { ownMember } from '../shared/json.ts'
import { version } from '../shared/version.ts'
import { parseArguments, print, printError, UsageError } from './command/command.ts'
import { commands } from './commands.ts'

type Command = (typeof commands)[string]

/** @param group the first word of the commands that it lists, and a blank; default: all */
const usageOf = (group = ''): string => `Usage: catalog ${group}COMMAND [options]

${Object.entries(commands)
  .filter(([name]) => name.startsWith(group))
  .map(([name, { summary }]) => `  ${name.padEnd(14)} ${summary}`)
  .join('\n')}

catalog COMMAND --help shows the options of a command, catalog --version the version.
Settings come from CATALOG_… environment variables: a running service lists them at /docs/reference/settings.html.`

const helpOf = async (name: string, { load, summary }: Command): Promise<string> =>
  `Usage: catalog ${name} ${(await load()).usage ?? ''}`.trimEnd().concat(`\n\n${summary}.`)

const isUsage = (error: unknown): boolean =>
  error instanceof UsageError || String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS_')

const runCommand = async (name: string, listed: Command, args: string[]): Promise<number> => {
  const command = await listed.load()
  try {
    const call = parseArguments(command, args)
    if (call.flags['help'] === true) return print((await helpOf(name, listed)).split('\n'))
    return await command.run(call)
  } catch (error) {
    if (process.env['CATALOG_LOG_LEVEL'] === 'debug') printError(String((error as Error).stack).split('\n'))
    const [first, ...others] = error instanceof LinesError ? error.lines : [(error as Error).message]
    const lines = [`catalog ${name}: ${first}`, ...others]
    return isUsage(error)
      ? printError([...lines, '', ...(await helpOf(name, listed)).split('\n')], 2)
      : printError(lines, 1)
  }
}

const isHelp = (word = ''): boolean => ['help', '--help', '-h'].includes(word)

/** Runs one call of the command line. @returns the exit code */
export const runCommandLine = async (args: string[]): Promise<number> => {
  for (const words of [2, 1]) {
    const called = args.slice(0, words).join(' ')
    const command = ownMember(commands, called)
    if (command !== undefined) return runCommand(called, command, args.slice(words))
  }
  const [name = '', second = ''] = args
  if (['--version', '-v', 'version'].includes(name)) return print(version)
  if (isHelp(name) && second !== '') return runCommandLine([...args.slice(1), '--help'])
  const isGroup = Object.keys(commands).some((each) => each.startsWith(`${name} `))
  const usage = usageOf(isGroup ? `${name} ` : '').split('\n')
  if (isHelp(isGroup ? second : name)) return print(usage)
  const called = isGroup ? `${name} ${second}`.trimEnd() : name
  return printError([...(name === '' ? [] : [`catalog has no command ${called}.`, '']), ...usage], 2)
}
