const hueFor = (name: string): number => {
  let sum = 0
  for (const sign of name) sum = (sum * 31 + (sign.codePointAt(0) as number)) % 360
  return sum
}

const initialsOf = (name: string): string => {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '')
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters.map((word) => [...(word ?? '?')][0]?.toUpperCase()).join('')
}

/** A round sign of somebody: the same colour wherever the name stands. */
export const Avatar = ({ name, size = 26 }: { name: string; size?: number }) => (
  <span
    className="avatar"
    aria-hidden="true"
    style={{ '--hue': hueFor(name), inlineSize: size, blockSize: size, fontSize: size * 0.4 } as React.CSSProperties}
  >
    {initialsOf(name)}
  </span>
)
