import { Link } from '@tanstack/react-router'

/** Leads from one thing that happened to all that the same request did. */
export const RequestLink = ({ correlationId }: { correlationId: string }) => (
  <Link to="/requests/$correlationId" params={{ correlationId }} className="request-link">
    the whole request
  </Link>
)
