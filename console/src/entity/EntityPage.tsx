import { Contained } from '../ui/Contained.tsx'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { Problem } from '../api/client.ts'
import { contracted, isKind, kindNamed, unreferenced } from '../api/kinds.ts'
import { useMay } from '../api/permissions.ts'
import { entityQuery, type Loaded, whatWas } from '../api/queries.ts'
import { ProposeDialog } from '../proposals/ProposeDialog.tsx'
import { HistoryTab } from '../time/HistoryTab.tsx'
import { useLife, type Life } from '../time/moments.ts'
import { PastBar } from '../time/PastBar.tsx'
import { Button } from '../ui/Button.tsx'
import { part } from '../ui/part.ts'
import { useQuestion } from '../ui/useQuestion.ts'
import { useTitle } from '../ui/useTitle.ts'
import { SaveLabel } from '../ui/SaveOrCancel.tsx'
import { formatTime, lastName, phraseOf } from '../ui/format.ts'
import { Empty, QueryResult, Skeleton } from '../ui/States.tsx'
import { ConflictDialog } from './ConflictDialog.tsx'
import { ShownProvider } from './context.ts'
import { Header } from './Header.tsx'
import type { Conflict, Proposing, Resolution } from './save.ts'
import { Sections } from './Sections.tsx'
import { Side } from './Side.tsx'
import { Tabs } from './Tabs.tsx'
import { UsedBy } from './UsedBy.tsx'
import { useAuthors } from './Written.tsx'

const ContractTab = part(() => import('../contracts/ContractTab.tsx'), 'ContractTab')
const LineageTab = part(() => import('../lineage/LineageTab.tsx'), 'LineageTab')
const ProposalsTab = part(() => import('../proposals/ProposalsTab.tsx'), 'ProposalsTab')

/** What the address of an entity's page says beside its name. */
export interface EntitySearch {
  readonly tab?: string
  readonly asOf?: string
  readonly from?: string
  readonly to?: string
  readonly column?: string
}

export const useEntitySearch = (): EntitySearch => useSearch({ strict: false }) as EntitySearch

/** A contract and proposals have lives of their own: at a moment of the entity's the page shows the entity. */
export const ofThePresent: ReadonlySet<string> = new Set(['contract', 'proposals'])

/** Tabs beside the overview. */
const tabs: ReadonlySet<string> = new Set([...ofThePresent, 'lineage', 'used-by', 'history'])

export const tabInPast = (tab: string | undefined): string | undefined =>
  tab !== undefined && ofThePresent.has(tab) ? undefined : tab

const Body = ({ tab, life }: { tab: string; life: Life }) => {
  if (tab === 'history') return <HistoryTab life={life} />
  if (tab === 'used-by') return <UsedBy />
  if (tab === 'proposals') return <ProposalsTab />
  if (tab === 'contract') return <ContractTab />
  if (tab === 'lineage') return <LineageTab life={life} />
  return (
    <div className="entity-columns">
      <Sections />
      <Side />
    </div>
  )
}

/**
 * An entity that is loaded, now or at a moment of its past.
 * @param arrived false while it is what the page showed before, since the moment of its address is still on its way
 */
const Shown = ({ kindName, loaded, arrived }: { kindName: string; loaded: Loaded; arrived: boolean }) => {
  const { tab = 'overview', asOf } = useEntitySearch()
  const kind = kindNamed(kindName)
  const { entity } = loaded
  const mayEdit = useMay('edit', kindName, entity)
  // Who somebody is nobody else proposes.
  const mayPropose = useMay('propose', kindName) && kindName !== 'user'
  const conflict = useQuestion<Conflict, Resolution>()
  const proposing = useQuestion<Proposing, boolean>()
  const may = { edit: mayEdit, propose: mayPropose }
  const saving = { kind: kindName, ...may, askConflict: conflict.ask, askProposal: proposing.ask }
  const life = useLife(kindName, entity.id, asOf)
  const authors = useAuthors(kindName, entity.id, asOf)
  const editable = arrived && (mayEdit || mayPropose) && asOf === undefined && !entity.deleted
  useTitle(entity.displayName ?? entity.name)
  return (
    <ShownProvider value={{ kind, loaded, asOf, editable, saving, authors }}>
      <SaveLabel value={mayEdit ? 'Save' : 'Propose …'}>
        <article className={asOf === undefined ? 'entity' : 'entity in-past'}>
          <PastBar life={life} />
          <Header life={life} />
          <Tabs
            withContract={contracted.has(kindName)}
            withUses={!unreferenced.has(kindName)}
            id={entity.id}
            chosen={tabs.has(tab) ? tab : 'overview'}
            changes={life.total}
          />
          <Contained of={loaded}>
            <Suspense key={tab} fallback={<Skeleton lines={8} />}>
              <Body tab={tab} life={life} />
            </Suspense>
          </Contained>
          {conflict.asked && <ConflictDialog conflict={conflict.asked.question} onChoose={conflict.asked.answer} />}
          {proposing.asked && (
            <ProposeDialog kind={kindName} proposing={proposing.asked.question} onDone={proposing.asked.answer} />
          )}
        </article>
      </SaveLabel>
    </ShownProvider>
  )
}

const ShowPresent = () => {
  const navigate = useNavigate()
  return (
    <Button look="primary" onClick={() => void navigate({ to: '.', search: {} })}>
      Show the present
    </Button>
  )
}

/** What was deleted for good keeps its history, for those who may read it. */
const Gone = ({ kind, id }: { kind: string; id: string }) => {
  const navigate = useNavigate()
  const { moments } = useLife(kind, id)
  const last = moments.at(-2)
  return (
    <Empty icon="clock" title="It was deleted for good">
      <p>Its history is kept.</p>
      <Button
        look="primary"
        disabled={last === undefined}
        onClick={() => void navigate({ to: '.', search: { tab: 'history', asOf: last?.asOf } })}
      >
        Show its history
      </Button>
    </Empty>
  )
}

interface MissingProps {
  readonly kind: string
  readonly fqn: string
  readonly error: Problem
}

/** The name stands for nothing now. */
const Missing = ({ kind, fqn, error }: MissingProps) => {
  const navigate = useNavigate()
  const first = useQuery(entityQuery(kind, fqn, '0.1'))
  if (first.isPending) return <Skeleton lines={4} />
  if (first.data !== undefined) return <Gone kind={kind} id={first.data.entity.id} />
  return (
    <Empty icon="search" title="Nothing has this name">
      <p>{error.message}</p>
      <Button onClick={() => void navigate({ to: '/search', search: { q: phraseOf(lastName(fqn)) } })}>
        Search for it
      </Button>
    </Empty>
  )
}

/** The name stood for nothing at that time. */
const MissingThen = ({ asOf, fqn, error }: { asOf: string; fqn: string; error: Problem }) => (
  <Empty icon="clock" title="It did not exist then">
    <p>
      {asOf.includes('T') ? `On ${formatTime(asOf)} there was no ${fqn}.` : error.message} It came later, or was gone
      for good.
    </p>
    <ShowPresent />
  </Empty>
)

/** The page of one entity of any kind. */
export const EntityPage = () => {
  const { kind = '', fqn = '' } = useParams({ strict: false }) as { kind?: string; fqn?: string }
  const { asOf } = useEntitySearch()
  const query = useQuery({
    ...entityQuery(kind, fqn, asOf),
    placeholderData: whatWas('entity', kind, fqn),
    enabled: isKind(kind),
  })
  if (!isKind(kind)) return <Empty icon="search" title="Page not found" />
  const { error } = query
  if (query.data === undefined && error instanceof Problem && error.status === 404) {
    if (asOf === undefined) return <Missing kind={kind} fqn={fqn} error={error} />
    return <MissingThen asOf={asOf} fqn={fqn} error={error} />
  }
  return (
    <QueryResult query={query} lines={12} ways={asOf !== undefined && <ShowPresent />}>
      {(loaded) => (
        <Shown key={`${kind} ${loaded.entity.id}`} kindName={kind} loaded={loaded} arrived={!query.isPlaceholderData} />
      )}
    </QueryResult>
  )
}
