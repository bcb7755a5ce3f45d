import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckpointStore } from '../processes/consumerCheckpoint.ts'
import type { Config } from './settings/config.ts'
import { files } from './settings/fixedNames.ts'

type OpenedCheckpoint = CheckpointStore & { close(): Promise<void> }

/** A file that is replaced whole. */
const fileOf = ({ dataDir }: Config): OpenedCheckpoint => {
  const path = join(dataDir, files.integrity)
  return {
    read: () =>
      readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        return undefined
      }),
    write: async (text) => {
      await writeFile(`${path}.part`, text)
      await rename(`${path}.part`, path)
    },
    close: async () => undefined,
  }
}

/** Where the integrity process keeps how far it has come: where the read models are. */
export const openIntegrityCheckpoint = async (config: Config): Promise<OpenedCheckpoint> => {
  if (config.mongodbUrl === undefined) return fileOf(config)
  const { openMongoCheckpoint } = await import('../stores/mongo/consumerText.ts')
  return openMongoCheckpoint(config.mongodbUrl, 'integrity')
}
