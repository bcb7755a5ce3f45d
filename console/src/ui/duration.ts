const units: readonly (readonly [RegExp, string])[] = [
  [/(\d+(?:\.\d+)?)Y/, 'year'],
  [/^P(?:[^T]*?)(\d+(?:\.\d+)?)M/, 'month'],
  [/(\d+(?:\.\d+)?)W/, 'week'],
  [/(\d+(?:\.\d+)?)D/, 'day'],
  [/T(?:.*?)(\d+(?:\.\d+)?)H/, 'hour'],
  [/T(?:.*?)(\d+(?:\.\d+)?)M/, 'minute'],
  [/T(?:.*?)(\d+(?:\.\d+)?)S/, 'second'],
]

/** An ISO 8601 duration in words, such as `PT4H`: 4 hours; `undefined` when the text is none. */
export const durationWords = (text: string): string | undefined => {
  if (!/^P(?=.)(\d+(\.\d+)?[YMWD])*(T(\d+(\.\d+)?[HMS])+)?$/.test(text)) return undefined
  const parts = units.flatMap(([pattern, unit]) => {
    const [, count] = pattern.exec(text) ?? []
    return count === undefined ? [] : [`${count} ${unit}${count === '1' ? '' : 's'}`]
  })
  return parts.join(' ')
}
