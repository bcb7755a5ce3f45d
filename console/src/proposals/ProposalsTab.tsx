import { useShown } from '../entity/context.ts'
import { ProposalList } from './ProposalList.tsx'
import { aboutQuery } from './queries.ts'

/** What is proposed of the entity, and what was. */
export const ProposalsTab = () => {
  const { kind, loaded } = useShown()
  return <ProposalList query={aboutQuery(kind.name, loaded.entity.id)} none="Nobody has proposed anything" />
}
