const needsQuotes = /[."]/

/** A name as it stands in an FQN: with `.` or `"` it is quoted and its quotes are doubled. */
export const quotedName = (name: string): string => (needsQuotes.test(name) ? `"${name.replaceAll('"', '""')}"` : name)
