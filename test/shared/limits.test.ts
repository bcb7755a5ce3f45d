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

No request may hold the service up, fill its memory or go on after its client has left. So everything that a caller sends or asks has a
bound. What is too much is refused, with a message that says which bound it was and how to stay below it; nothing of it has been done then.
This page is written from \`src/shared/limits.ts\`; after a change there \`npx vitest run test/shared/limits.test.ts -u\` writes it anew.

| What | At most | Beyond it | Set by |
|---|---|---|---|
${Object.values<Limit>(limits).map(line).join('\n')}
`

it('docs/limits.md shows every limit as it is', async () => {
  await expect(page).toMatchFileSnapshot('../../docs/limits.md')
})
