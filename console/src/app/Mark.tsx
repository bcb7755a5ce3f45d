/** The sign of the catalog: three lines of time, and where something happened on each. */
export const Mark = ({ size = 26 }: { size?: number }) => (
  <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect className="mark-ground" width="32" height="32" rx="8" />
    <path className="mark-lines" d="M8 10.5h16M8 16h16M8 21.5h16" />
    <circle cx="12" cy="10.5" r="2.6" />
    <circle cx="19" cy="16" r="2.6" />
    <circle cx="15" cy="21.5" r="2.6" />
  </svg>
)
