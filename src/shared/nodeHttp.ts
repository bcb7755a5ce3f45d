/** The used parts of Node's `http`. Importing the module would also load a WebSocket client: 40 ms of each start. */
export const {
  Agent: HttpAgent,
  createServer,
  IncomingMessage,
  request: httpRequest,
  ServerResponse,
  STATUS_CODES,
} = process.getBuiltinModule('node:http')
