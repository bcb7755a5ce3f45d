import express from 'express'

/**
 * The bare side of every comparison: Express as it is (without its ETag hashing and its `X-Powered-By`), which sends
 * bytes that it holds ready, and parses bodies with its own parser. `PUT /answer?status=…&name=…` says what
 * `/bare/{name}` answers.
 */
const app = express()
app.disable('etag')
app.disable('x-powered-by')

const answers = new Map<string, { status: number; bytes: Buffer }>()

app.get('/ready', (_, response) => {
  response.end()
})
app.get('/metrics', (_, response) => {
  const { user, system } = process.cpuUsage()
  response
    .type('text')
    .send(
      `process_cpu_seconds_total ${(user + system) / 1e6}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`,
    )
})
app.put('/answer', express.raw({ type: () => true, limit: '64mb' }), (request, response) => {
  const { name, status } = request.query as { name: string; status: string }
  answers.set(name, { status: Number(status), bytes: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0) })
  response.end()
})
app.all('/bare/:name', express.json({ limit: '64mb', type: () => true, strict: false }), (request, response) => {
  const answer = answers.get(request.params.name)
  if (answer === undefined) response.status(404).end()
  else response.status(answer.status).type('json').send(answer.bytes)
})

app.listen(Number(process.argv[2]), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
