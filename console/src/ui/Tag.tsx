import { Link } from '@tanstack/react-router'
import type { TagLabel } from '../api/types.ts'

/** Only plain colours of a style are shown: nothing is fetched from elsewhere. */
const colorOf = (tag: TagLabel): string | undefined =>
  /^#[\da-f]{3,8}$/i.test(tag.style?.color ?? '') ? tag.style?.color : undefined

/** What a tag means: `PII · Sensitive`. */
export const tagName = (fqn: string, { displayName, name = fqn }: Partial<Pick<TagLabel, 'name' | 'displayName'>>) => {
  const last = lastPart.exec(fqn)?.index ?? 0
  return `${last > 0 ? `${fqn.slice(0, last).replaceAll('.', ' · ')} · ` : ''}${displayName ?? name}`
}

/** The name at the end of an FQN, in double quotes where it holds a dot, with the dot before it. */
const lastPart = /\.(?:"(?:[^"]|"")*"|[^."]+)$/

/** A tag, or a glossary term that is used as one. */
export const Tag = ({ tag }: { tag: TagLabel }) => {
  const color = colorOf(tag)
  return (
    <Link
      to="/$kind/$fqn"
      params={{ kind: tag.source === 'Glossary' ? 'glossaryTerm' : 'tag', fqn: tag.tagFQN }}
      className={`tag ${tag.source === 'Glossary' ? 'term' : ''}`}
      title={tag.description ? `${tag.tagFQN}: ${tag.description}` : tag.tagFQN}
    >
      <span className="dot" style={color === undefined ? undefined : { background: color }} />
      <span className="tag-name">
        {tag.source === 'Glossary' ? (tag.displayName ?? tag.name ?? tag.tagFQN) : tagName(tag.tagFQN, tag)}
      </span>
    </Link>
  )
}
