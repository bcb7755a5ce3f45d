import { expect, it } from 'vitest'
import { limits, type Limit } from '../../src/shared/limits.ts'

const shown = ({ value, unit }: Limit): string => {
  if (unit === 'bytes') return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`
  if (unit === 'milliseconds') return `${value / 1000} s`
  return `${value.toLocaleString('en')} ${value === 1 ? unit.replace(/s$/, '') : unit}`
}

const line = (limit: Limit): string =>
  `| ${limit.of}${limit.setting === undefined ? '' : ` (\`${limit.setting}\`)`} | ${shown(limit)} | ${limit.beyond} |`

const page = `# Limits

Everything that a caller sends or asks for has a limit, so that no request can block the service, fill its memory, or keep it busy after its client
has gone. A request that gets 400, 413, 429 or 431 has had no effect; the message names the limit and says how to stay within it.
This page is generated from \`src/shared/limits.ts\`: after a change there, run \`npx vitest run test/shared/limits.test.ts -u\`.

| What | Limit | Above it |
|---|---|---|
${Object.values<Limit>(limits).map(line).join('\n')}
`

it('docs/limits.md shows every limit as it is', async () => {
  await expect(page).toMatchFileSnapshot('../../docs/limits.md')
})
