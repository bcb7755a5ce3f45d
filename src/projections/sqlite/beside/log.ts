import type { Codec } from '../../../events/codec.ts'
import { openSqliteEventStore, type SqliteEventStore } from '../../../events/sqlite/store.ts'
import type { ProjectedLog } from './thread.ts'

/** Opens the log that a thread follows, for reading. @param codec how the events are read; default: as they are */
export const openProjectedLog = ({ log, logBytes, shown }: ProjectedLog, codec?: Codec): SqliteEventStore =>
  openSqliteEventStore({
    path: log,
    readOnly: true,
    cacheBytes: logBytes,
    ...(shown && { shown }),
    ...(codec && { codec }),
  })
