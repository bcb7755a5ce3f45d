import { useQuery } from '@tanstack/react-query'
import { useShown } from '../entity/context.ts'
import { Empty, Failure, Skeleton } from '../ui/States.tsx'
import { ContractView } from './ContractView.tsx'
import { contractQuery } from './queries.ts'

/** The contract of an asset: its own, or the one that it inherits. */
export const ContractTab = () => {
  const { kind, loaded } = useShown()
  const { data, error, isPending, refetch } = useQuery(contractQuery(kind.name, loaded.entity.id))
  if (error) return <Failure error={error} retry={() => void refetch()} />
  if (isPending) return <Skeleton lines={8} />
  if (data === null) {
    return (
      <Empty icon="contract" title="Nothing is promised about this yet">
        <p>A data contract says what whoever uses this can rely on.</p>
      </Empty>
    )
  }
  return <ContractView contract={data} />
}
