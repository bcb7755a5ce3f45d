/** The words of a text, as lists of known values are written down. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** The name of the text that each word stands in. */
export const namesByWord = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => words(text).map((word) => [word, name])))
