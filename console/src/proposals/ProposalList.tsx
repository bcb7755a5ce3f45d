import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { More } from '../ui/More.tsx'
import { Empty, QueryResult } from '../ui/States.tsx'
import { AskingDialog, ProposalCard, type Asking } from './ProposalCard.tsx'
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
  const [asking, setAsking] = useState<Asking>()
  return (
    <>
      <QueryResult query={found} lines={6}>
        {({ pages }) => {
          const proposals = pages.flatMap(({ data }) => data)
          if (proposals.length === 0 && !found.hasNextPage) return <Empty icon="check" title={none} />
          return (
            <ul className="plain proposals">
              {proposals.map((proposal) => (
                <ProposalCard key={proposal.id} proposal={proposal} named={named} onAsk={setAsking} />
              ))}
            </ul>
          )
        }}
      </QueryResult>
      <More pages={found} />
      {asking && <AskingDialog {...asking} onClose={() => setAsking(undefined)} />}
    </>
  )
}
