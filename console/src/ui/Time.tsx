import { formatAgo, formatExact, type Time as Instant } from './format.ts'

/** How long ago; the exact time on hover, for which it is written only then, and for machines. */
export const Ago = ({ time }: { time: Instant }) => (
  <time
    dateTime={new Date(time).toISOString()}
    onPointerEnter={({ currentTarget }) => {
      currentTarget.title = formatExact(time)
    }}
  >
    {formatAgo(time)}
  </time>
)
