import { createInterface } from 'node:readline'
import { print, type CliCommand } from './command/command.ts'
import { clientTexts, clientsFor } from './client/apiClient.ts'

interface Message {
  readonly id?: string | number
}

/** A stdio server of the Model Context Protocol: each line is a message, and so is each answer. */
export const mcpCommand: CliCommand = {
  usage:
    '[--url http://127.0.0.1:8585] [--token TOKEN]\n\n' +
    'Serves the Model Context Protocol on standard input and output, for agents that start their tools as programs. They\n' +
    'can read what the token allows (--token or CATALOG_TOKEN). Agents that use HTTP connect to /mcp of the service.',
  texts: clientTexts,
  run: async ({ texts }) => {
    const client = clientsFor(texts, 'catalog-mcp')()
    const answer = async (line: string): Promise<void> => {
      const { id } = JSON.parse(line) as Message
      const said = await client
        .message(line)
        .catch((error: unknown) =>
          id === undefined
            ? undefined
            : JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message: (error as Error).message } }),
        )
      if (said !== undefined) print(said)
    }
    const lines = createInterface({ input: process.stdin })
    const open = new Set<Promise<void>>()
    for await (const line of lines) {
      if (line.trim() === '') continue
      const one = answer(line).finally(() => open.delete(one))
      open.add(one)
    }
    await Promise.all(open)
    return 0
  },
}
