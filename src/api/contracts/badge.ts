/** Colours that have enough contrast with white. */
const colours: Readonly<Record<string, string>> = {
  kept: '#2e7d32',
  'kept in part': '#8a6100',
  broken: '#c62828',
  stale: '#5f6368',
  'not validated': '#5f6368',
}

const words: Readonly<Record<string, string>> = { Success: 'kept', PartialSuccess: 'kept in part', Failed: 'broken' }

/** How a contract stands, in two or three words. @param isStale of its newest result */
export const contractState = (status: string | undefined, isStale: boolean): string =>
  status === undefined ? 'not validated' : isStale ? 'stale' : (words[status] ?? status.toLowerCase())

/** Pixels of a text, about: the badge asks for exactly so many. */
const widthOf = (text: string): number => text.length * 7 + 12

/** A badge as SVG, with nothing in it that a contract says in its own words. */
export const badgeOf = (state: string): string => {
  const label = 'data contract'
  const [left, right] = [widthOf(label), widthOf(state)]
  const text = (said: string, from: number, width: number): string =>
    `<text x="${from + width / 2}" y="14" textLength="${width - 12}">${said}</text>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${state}">` +
    `<title>${label}: ${state}</title><rect width="${left}" height="20" fill="#444"/>` +
    `<rect x="${left}" width="${right}" height="20" fill="${colours[state] ?? '#5f6368'}"/>` +
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,sans-serif" font-size="11">` +
    `${text(label, 0, left)}${text(state, left, right)}</g></svg>`
  )
}
