// Ends with 0 while the process of the service lives: the health check of the container image. A service that builds
// its read models again is alive, and must not be restarted for it.
import http from 'node:http'
import https from 'node:https'

// As the service reads its settings: an empty variable counts as unset.
const read = (name) => process.env[name]?.trim()
const { get } = read('CATALOG_TLS_CERT_FILE') ? https : http
const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[read('CATALOG_HOST')] ?? (read('CATALOG_HOST') || '127.0.0.1')
// The certificate names the host that clients use.
const options = { host, port: read('CATALOG_PORT') || '8585', path: '/livez', rejectUnauthorized: false }
get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
