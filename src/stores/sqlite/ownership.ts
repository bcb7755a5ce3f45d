import { accessSync, chmodSync, chownSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Gives a file that root has made to the owner of another path (default: its folder), since a service under a user of its
 * own must be able to use what commands of root leave. Does nothing for other users.
 */
export const giveToOwner = (path: string, like = dirname(path)): void => {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(like)
  const own = statSync(path)
  if (own.uid !== uid || own.gid !== gid) chownSync(path, uid, gid)
}

/**
 * Opens a database to write, creating its file, which others may not read, if there is none. SQLite gives what it makes
 * beside a file the same owner and permissions.
 * @param timeout milliseconds to wait for others
 */
export const openWritable = (path: string, timeout: number): DatabaseSync => {
  const isNew = !existsSync(path)
  const database = new DatabaseSync(path, { timeout })
  const file = database.location()
  if (file === null) return database
  if (isNew) chmodSync(file, 0o600)
  giveToOwner(file)
  return database
}

const ownerOf = (uid: number): string => (uid === 0 ? 'root' : `user ${uid}`)

/** That this process may not use a file, with what can be done about it. */
export const notAllowed = (path: string, verb: 'read' | 'write'): Error => {
  const [user, group] = [process.getuid?.(), process.getgid?.()]
  const { uid, mode } = statSync(path)
  return new Error(
    `${path} belongs to ${ownerOf(uid)} (mode ${(mode & 0o777).toString(8)}), and user ${user} may not ${verb} it. ` +
      `If this is the user that the service shall have, run as root: chown -R ${user}:${group} ${dirname(path)}`,
  )
}

const isWrittenInPlace = (name: string): boolean => /\.db(-\w+)?$|^lock\.pid$/.test(name)

/** @throws Error that names a file of the folder which this process must write and may not */
export const mustBeWritable = (folder: string): void => {
  for (const name of readdirSync(folder).filter(isWrittenInPlace))
    try {
      accessSync(join(folder, name), constants.R_OK | constants.W_OK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw notAllowed(join(folder, name), 'write')
    }
}
