const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not use it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  EROFS: 'nothing can be written there',
}

/** Why a file cannot be used, as the end of a sentence without a full stop. */
export const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return (code === undefined ? undefined : reasons[code]) ?? message.replace(/\.$/, '')
}

/** Whether the error says that there is no such file. */
export const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))
