import { expect, it } from 'vitest'
import { limits, type Limit } from '../../src/shared/limits.ts'

const shown = ({ value, unit }: Limit): string => {
  if (unit === 'bytes') return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`
  if (unit === 'milliseconds') return `${value / 1000} s`
  return `${value.toLocaleString('en')} ${unit}`
}

const line = (limit: Limit): string =>
  `| ${limit.of} | ${shown(limit)} | ${limit.beyond} | ${limit.setting === undefined ? '' : `\`${limit.setting}\``} |`

const page = `# Limits

A single request must not block the service, fill its memory, or keep it busy after its client has gone. So everything that a caller sends or asks for
has a limit. A request that exceeds one is refused before it has any effect, with a message that names the limit and says how to stay within it.
This page is generated from \`src/shared/limits.ts\`: after a change there, run \`npx vitest run test/shared/limits.test.ts -u\`.

| What | Limit | Above it | Setting |
|---|---|---|---|
${Object.values<Limit>(limits).map(line).join('\n')}
`

it('docs/limits.md shows every limit as it is', async () => {
  await expect(page).toMatchFileSnapshot('../../docs/limits.md')
})
