/** What is used of Node's `http`; an import of the module loads a client of WebSockets, too: 40 ms of each start. */
export const {
  Agent: HttpAgent,
  createServer,
  IncomingMessage,
  request: httpRequest,
  ServerResponse,
  STATUS_CODES,
} = process.getBuiltinModule('node:http')
