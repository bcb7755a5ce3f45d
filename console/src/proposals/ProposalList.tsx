import { useInfiniteQuery } from '@tanstack/react-query'
import { Empty, Failure, Skeleton } from '../ui/States.tsx'
import { useReached } from '../ui/useReached.ts'
import { ProposalCard } from './ProposalCard.tsx'
import type { myQuery } from './queries.ts'

interface ListProps {
  readonly query: ReturnType<typeof myQuery>
  /** Say of each what it is about. */
  readonly named?: boolean
  readonly none: string
}

/** Proposals, newest first, more of them as one scrolls. */
export const ProposalList = ({ query, named = false, none }: ListProps) => {
  const found = useInfiniteQuery(query)
  const more = useReached<HTMLDivElement>(() => void (found.isFetching || found.fetchNextPage()), found.hasNextPage)
  if (found.isLoading) return <Skeleton lines={6} />
  if (found.error) return <Failure error={found.error} retry={() => void found.refetch()} />
  const proposals = found.data?.pages.flatMap(({ data }) => data) ?? []
  if (proposals.length === 0 && !found.hasNextPage) return <Empty icon="check" title={none} />
  return (
    <>
      <ul className="plain proposals">
        {proposals.map((proposal) => (
          <ProposalCard key={proposal.id} proposal={proposal} named={named} />
        ))}
      </ul>
      <div ref={more} />
    </>
  )
}
