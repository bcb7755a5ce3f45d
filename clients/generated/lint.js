// Prints what Redocly finds in a document of OpenAPI, a line each: `node lint.js REDOCLY.YAML DOCUMENT`.
import { lint, loadConfig } from '@redocly/openapi-core'

const [configPath, ref] = process.argv.slice(2)
const found = await lint({ ref, config: await loadConfig({ configPath }) })
for (const { severity, ruleId, message, location } of found)
  process.stdout.write(`${severity} ${ruleId}: ${message} ${location[0]?.pointer}\n`)
