import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../src/composition/engines.ts'
import { readConfig } from '../../src/composition/settings/config.ts'
import { appendOf, appendOk, freshStream } from '../support/events.ts'
import { temporaryFolder } from '../support/folders.ts'

test('events of a kind that only another version knows can be read', async () => {
  const config = readConfig({ CATALOG_DATA_DIR: await temporaryFolder() })
  const written = await openLog(config, { readOnly: false })
  await appendOk(written, appendOf(freshStream('gadget'), 'no_stream'))
  await written.close()
  const log = await openLog(config, { readOnly: true })
  onTestFinished(() => log.close())
  expect((await Array.fromAsync(log.readAll())).map(({ metadata }) => metadata.kind)).toEqual(['gadget'])
})
