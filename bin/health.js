// Ends with 0 while the process of the service lives: the health check of the container image. A service that builds
// its read models again is alive, and must not be restarted for it.
import http from 'node:http'
import https from 'node:https'

const { CATALOG_PORT = '8585', CATALOG_TLS_CERT_FILE } = process.env
const { get } = CATALOG_TLS_CERT_FILE ? https : http
// The certificate names the host that clients use.
const options = { host: '127.0.0.1', port: CATALOG_PORT, path: '/livez', rejectUnauthorized: false }
get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
