import { parseArgs } from 'node:util'
import { commands } from './commands.ts'

const usage = `Usage: catalog COMMAND [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

catalog COMMAND --help tells the options of a command. Settings come from CATALOG_… environment variables: see the README.`

const run = async ([name = '', ...args]: string[]): Promise<number> => {
  const command = commands[name]
  if (command === undefined) {
    const asked = name === '' || name === 'help' || name === '--help'
    process[asked ? 'stdout' : 'stderr'].write(`${asked ? '' : `catalog has no command ${name}.\n\n`}${usage}\n`)
    return asked ? 0 : 2
  }
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { ...command.options, help: { type: 'boolean' } },
      allowPositionals: true,
    })
    if (values['help'] === true) {
      process.stdout.write(`Usage: catalog ${name} ${command.usage}\n\n${command.summary}\n`)
      return 0
    }
    return await command.run(values as Record<string, string | boolean | undefined>, positionals)
  } catch (error) {
    process.stderr.write(`catalog ${name}: ${(error as Error).message}\n`)
    if (process.env['CATALOG_LOG_LEVEL'] === 'debug') process.stderr.write(`${(error as Error).stack}\n`)
    return 1
  }
}

process.exitCode = await run(process.argv.slice(2))
