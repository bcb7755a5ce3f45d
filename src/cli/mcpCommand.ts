import { isObject } from '../shared/json.ts'
import { print, type CliCommand } from './command/command.ts'
import { linesOf } from './command/lines.ts'
import { clientOptions, clientsFor } from './client/apiClient.ts'

const refusal = (id: string | number | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })

/** The message of a line, or why it is none. */
const messageIn = (line: string): { readonly id?: string | number } | { readonly refused: string } => {
  try {
    const message: unknown = JSON.parse(line)
    return isObject(message) ? message : { refused: refusal(null, -32_600, 'A message is a JSON object.') }
  } catch (error) {
    return { refused: refusal(null, -32_700, (error as Error).message) }
  }
}

/** A stdio server of the Model Context Protocol: each line is a message, and so is each answer. */
export const mcpCommand: CliCommand = {
  usage:
    '[--url http://127.0.0.1:8585] [--token TOKEN]\n\n' +
    'Serves the Model Context Protocol on standard input and output, for agents that start their tools as programs. They\n' +
    'can read what the token allows (--token or CATALOG_TOKEN). Agents that use HTTP connect to /mcp of the service.',
  texts: clientOptions,
  run: async ({ texts }) => {
    const client = clientsFor(texts, 'catalog-mcp')()
    const answer = async (line: string): Promise<void> => {
      const message = messageIn(line)
      if ('refused' in message) return void print(message.refused)
      const { id } = message
      const said = await client
        .message(line)
        .catch((error: unknown) => (id === undefined ? undefined : refusal(id, -32_603, (error as Error).message)))
      if (said !== undefined) print(said)
    }
    const open = new Set<Promise<void>>()
    for await (const line of linesOf(process.stdin)) {
      if (line.trim() === '') continue
      const one = answer(line).finally(() => open.delete(one))
      open.add(one)
    }
    await Promise.all(open)
    return 0
  },
}
