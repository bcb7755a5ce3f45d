import { LinesError } from '../shared/errors/linesError.ts'
import { version } from '../shared/version.ts'
import { mustBeComplete, parseArguments, print, printError, UsageError } from './command/command.ts'
import { commands } from './commands.ts'

type Command = (typeof commands)[string]

const usage = `Usage: catalog COMMAND [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

catalog COMMAND --help shows the options of a command, catalog --version the version.
Settings come from CATALOG_… environment variables: a running service lists them at /docs/reference/settings.html.`

const helpOf = (name: string, summary: string, options = ''): string =>
  `Usage: catalog ${name} ${options}`.trimEnd().concat(`\n\n${summary}`)

const isUsage = (error: unknown): boolean =>
  error instanceof UsageError || String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS_')

const runCommand = async (name: string, { load, summary }: Command, args: string[]): Promise<number> => {
  const command = await load()
  const help = helpOf(name, summary, command.usage)
  try {
    const call = parseArguments(command, args)
    if (call.flags['help'] === true) return print(help.split('\n'))
    const [strange] = call.words.slice(command.words ?? 0)
    if (strange !== undefined) throw new UsageError(`Unexpected argument: ${strange}.`)
    mustBeComplete(command, call)
    return await command.run(call)
  } catch (error) {
    if (process.env['CATALOG_LOG_LEVEL'] === 'debug') printError(String((error as Error).stack).split('\n'))
    const [first, ...others] = error instanceof LinesError ? error.lines : [(error as Error).message]
    const lines = [`catalog ${name}: ${first}`, ...others]
    return isUsage(error) ? printError([...lines, '', ...help.split('\n')], 2) : printError(lines, 1)
  }
}

/** Runs one call of the command line. @returns the exit code */
export const runCommandLine = async ([name = '', ...args]: string[]): Promise<number> => {
  if (name === '') return printError(usage.split('\n'), 2)
  const command = commands[name]
  if (command !== undefined) return runCommand(name, command, args)
  if (['--version', '-v', 'version'].includes(name)) return print(version)
  const [about = ''] = args
  const topic = commands[about]
  const isHelp = ['help', '--help', '-h'].includes(name)
  if (isHelp && topic !== undefined) return print(helpOf(about, topic.summary, (await topic.load()).usage).split('\n'))
  if (isHelp && about === '') return print(usage.split('\n'))
  return printError([`catalog has no command ${isHelp ? about : name}.`, '', ...usage.split('\n')], 2)
}
