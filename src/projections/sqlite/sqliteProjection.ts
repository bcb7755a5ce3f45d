import type { Batch, Projection } from '../projection.ts'
import { saveCheckpoint } from './checkpoints.ts'
import type { SqliteFile, SqliteTables } from './file.ts'

/**
 * A projection in whatever file is current.
 * @param changes works out what a batch changes; what it gives writes that, within a transaction
 * @param emptied is told when the tables were thrown away
 */
export const sqliteProjection = (
  { name, version, handles }: SqliteTables,
  file: () => SqliteFile,
  changes: (batch: Batch) => Promise<() => void>,
  emptied: () => void = () => {},
): Projection => ({
  name,
  version,
  handles,
  apply: async (batch) => {
    const write = await changes(batch)
    return (checkpoint) => {
      write()
      saveCheckpoint(file(), name, checkpoint)
    }
  },
  rebuild: async () => {
    file().renew(name)
    emptied()
  },
})
