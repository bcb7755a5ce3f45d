import { formatAgo, formatExact, type Time as Instant } from './format.ts'

/** How long ago; the exact time on hover and for machines. */
export const Ago = ({ time }: { time: Instant }) => (
  <time dateTime={new Date(time).toISOString()} title={formatExact(time)}>
    {formatAgo(time)}
  </time>
)
