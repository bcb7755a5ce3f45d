/**
 * What is used of Node's `http`. Imported as a module it loads all that it exports, a client of WebSockets, too: 40 ms
 * of each start.
 */
export const {
  Agent: HttpAgent,
  createServer,
  IncomingMessage,
  request: httpRequest,
  ServerResponse,
  STATUS_CODES,
} = process.getBuiltinModule('node:http')
