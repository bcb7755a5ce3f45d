import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { version } from '../../shared/version.ts'
import { answerTool, makeTools, type CatalogReader } from './tools.ts'

const instructions =
  'A metadata catalog that keeps its whole history. Each answer names the position of the log that it shows; asked ' +
  'about that position (asOf), it is the same for ever.'

/** A server of the Model Context Protocol whose tools read the catalog. */
export const makeMcpServer = async (kinds: readonly KindDefinition[], reader: CatalogReader): Promise<McpServer> => {
  const { McpServer: Server } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  const server = new Server({ name: 'metadata-catalog', version }, { instructions })
  for (const tool of makeTools(kinds)) {
    const { name, description, input } = tool
    const annotations = { readOnlyHint: true, openWorldHint: false }
    server.registerTool(name, { description, inputSchema: input.shape, annotations }, async (given) => {
      try {
        const answer = await answerTool(tool, given as Record<string, string | undefined>, reader)
        return { content: [{ type: 'text' as const, text: JSON.stringify(answer) }] }
      } catch (error) {
        return { isError: true, content: [{ type: 'text' as const, text: (error as Error).message }] }
      }
    })
  }
  return server
}
