import { kindNamed } from '../api/kinds.ts'
import { measures, type CoverageSearch } from '../api/reads.ts'
import { DataTable } from '../ui/DataTable.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import { formatNumber } from '../ui/format.ts'
import { CountLinks } from './CountLinks.tsx'
import { percent, percentOf } from './percent.ts'
import type { Coverage, Group } from './queries.ts'

/** So many groups are told of at most. */
const mostGroups = 50

const Name = ({ group }: Pick<Group, 'group'>) =>
  'kind' in group ? (
    <span className="row">
      <KindIcon kind={group.kind} size={16} /> {kindNamed(group.kind).many}
    </span>
  ) : (
    <EntityLink reference={group} />
  )

/** What narrows the page to one group. */
const within = (search: CoverageSearch, { group }: Group): CoverageSearch =>
  'kind' in group ? { ...search, kind: group.kind } : { ...search, [search.by ?? '']: group.fullyQualifiedName }

/** Each group with its numbers. */
export const CoverageGroups = ({ coverage, search }: { coverage: Coverage; search: CoverageSearch }) => {
  const shown = measures.filter(({ name }) => coverage.measures[name] !== undefined)
  const isPastOfNow = coverage.groupsAsOf !== undefined && search.asOf !== undefined
  const isCut = isPastOfNow || coverage.data.length >= mostGroups
  return (
    <section id="groups" aria-label="Groups">
      <DataTable
        label="Coverage of each group"
        heads={['Group', 'Assets', ...shown.map(({ title }) => title)]}
        foot={
          isCut && (
            <p className="hint pad">
              The {mostGroups} groups that have most assets now
              {isPastOfNow && ', with their numbers of then'}. The totals above include all others.
            </p>
          )
        }
      >
        {coverage.data.map((each) => (
          <tr key={'kind' in each.group ? each.group.kind : each.group.id}>
            <th scope="row">
              <Name group={each.group} />
            </th>
            <td>{formatNumber(each.total)}</td>
            {shown.map(({ name }) => {
              const share = each.measures[name]
              return (
                <td key={name}>
                  {share && (
                    <>
                      <span className="coverage-bar" aria-hidden>
                        <span style={{ inlineSize: `${percentOf(share)}%` }} />
                      </span>
                      {percent(share)}
                      <CountLinks share={share} measure={name} search={within(search, each)} />
                    </>
                  )}
                </td>
              )
            })}
          </tr>
        ))}
      </DataTable>
    </section>
  )
}
