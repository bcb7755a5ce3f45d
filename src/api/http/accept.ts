interface Range {
  readonly type: string
  readonly subtype: string
  readonly quality: number
}

const readRange = (text: string): Range | undefined => {
  const [media = '', ...parameters] = text.split(';')
  const [type, subtype, ...rest] = media.trim().toLowerCase().split('/')
  if (!type || !subtype || rest.length > 0) return undefined
  const quality = parameters
    .map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(parameter)?.[1])
    .find((q) => q !== undefined)
  return { type, subtype, quality: quality === undefined ? 1 : Number(quality) }
}

const specificity = (range: Range, type: string, subtype: string): number => {
  if (range.type === type && range.subtype === subtype) return 3
  if (range.type === type && range.subtype === '*') return 2
  return range.type === '*' && range.subtype === '*' ? 1 : 0
}

/** Quality that the ranges give a media type: that of the most specific one that matches, 0 when none does. */
const qualityOf = (ranges: readonly Range[], mediaType: string): number => {
  const [type = '', subtype = ''] = mediaType.split('/')
  let best = 0
  let quality = 0
  for (const range of ranges) {
    const rank = specificity(range, type, subtype)
    if (rank > best) {
      best = rank
      quality = range.quality
    }
  }
  return quality
}

/** Names that YAML had before it was registered: who asks for one of them is served as well. */
const formerNames: Readonly<Record<string, readonly string[]>> = {
  'application/yaml': ['application/x-yaml', 'text/yaml', 'text/x-yaml'],
}

const maxRemembered = 200

/**
 * Makes the check whether an `Accept` header admits one of these media types. Headers repeat, so answers are
 * remembered. Without the header, or with one that names no media range at all, everything is accepted.
 */
export const makeAcceptCheck = (mediaTypes: readonly string[]): ((header: string | undefined) => boolean) => {
  const served = mediaTypes.flatMap((type) => [type, ...(formerNames[type] ?? [])])
  const remembered = new Map<string, boolean>()
  const decide = (header: string): boolean => {
    const ranges = header
      .split(',')
      .map(readRange)
      .filter((range) => range !== undefined)
    return ranges.length === 0 || served.some((type) => qualityOf(ranges, type) > 0)
  }
  return (header) => {
    if (header === undefined || header === '*/*' || mediaTypes.length === 0) return true
    let accepted = remembered.get(header)
    if (accepted === undefined) {
      accepted = decide(header)
      if (remembered.size < maxRemembered) remembered.set(header, accepted)
    }
    return accepted
  }
}
