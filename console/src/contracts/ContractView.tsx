import { useShown } from '../entity/context.ts'
import { ValueView } from '../entity/ValueView.tsx'
import { memberAt } from '../entity/columns.ts'
import type { ReactNode } from 'react'
import type { Column } from '../api/types.ts'
import { EntityLink } from '../ui/EntityLink.tsx'
import { formatVersion, wordsOf } from '../ui/format.ts'
import { DataTable } from '../ui/DataTable.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Markdown } from '../ui/Markdown.tsx'
import { ContractActions } from './ContractActions.tsx'
import { durationWords } from '../ui/duration.ts'
import { LatestResult } from './LatestResult.tsx'
import type { Contract } from './queries.ts'

const Promised = ({ columns, actual }: { columns: readonly Column[]; actual: ReadonlyMap<string, Column> }) => (
  <section aria-label="Promised columns">
    <h2>
      Promised columns <span className="count">{columns.length}</span>
    </h2>
    <DataTable label="Promised columns" look="columns" heads={['Name', 'Type', 'Constraint', 'In the asset']}>
      {columns.map(({ name, dataType, constraint }) => {
        const there = actual.get(name)
        const differs = there !== undefined && there.dataType !== dataType
        return (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>
              <code className="type">{dataType?.toLowerCase()}</code>
            </td>
            <td>{constraint ? wordsOf(constraint) : <span className="hint">–</span>}</td>
            <td>
              {actual.size === 0 ? (
                <span className="hint">–</span>
              ) : there === undefined ? (
                <span className="badge bad">missing</span>
              ) : differs ? (
                <span className="badge status-draft">is {there.dataType?.toLowerCase()}</span>
              ) : (
                <span className="badge good">there</span>
              )}
            </td>
          </tr>
        )
      })}
    </DataTable>
  </section>
)

const Level = ({ name, value }: { name: string; value: unknown }) => {
  if (typeof value === 'string') return <>{durationWords(value) ?? value}</>
  if (name === 'availability' && typeof value === 'number') return <>{value} %</>
  return <ValueView value={value} />
}

const Levels = ({ sla }: { sla: Readonly<Record<string, unknown>> }) => (
  <section aria-label="Service levels">
    <h2>Service levels</h2>
    <ul className="tiles">
      {Object.entries(sla).map(([name, value]) => (
        <li key={name} className="tile card">
          <h3>{wordsOf(name)}</h3>
          <div className={typeof value === 'object' ? '' : 'big'}>
            <Level name={name} value={value} />
          </div>
        </li>
      ))}
    </ul>
  </section>
)

const Rules = ({ rules }: { rules: NonNullable<Contract['semantics']> }) => (
  <section aria-label="Rules">
    <h2>Rules</h2>
    <ul className="rows card flush">
      {rules.map(({ name, description, rule, enabled }, at) => (
        <li key={at}>
          <span>
            <strong>{name}</strong> {description}
            {rule && (
              <div>
                <code className="hint">{rule}</code>
              </div>
            )}
          </span>
          {enabled === false && <span className="badge end">off</span>}
        </li>
      ))}
    </ul>
  </section>
)

/** A contract as people read it. */
export const ContractView = ({ contract, actions }: { contract: Contract; actions: ReactNode }) => {
  const { kind, loaded } = useShown()
  const actual = new Map(
    (kind.trees ?? []).flatMap((path) => {
      const columns = (memberAt(loaded.entity, path) ?? []) as readonly Column[]
      return columns.map((column) => [column.name, column] as const)
    }),
  )
  const { entityStatus = 'Draft', schema, sla, semantics, termsOfUse, security, qualityExpectations } = contract
  return (
    <div className="sections contract">
      <div className="row">
        <Icon name="contract" />
        <strong>{contract.displayName ?? contract.name}</strong>
        <span className={`badge status-${entityStatus.toLowerCase()}`}>{entityStatus}</span>
        <span className="badge">version {formatVersion(contract.version)}</span>
        {contract.inherited && <span className="badge">inherited from its data product</span>}
        <div className="row end">
          {actions}
          <ContractActions contract={contract} />
        </div>
      </div>
      {contract.latestResult && <LatestResult contract={contract} />}
      {contract.description && <Markdown text={contract.description} />}
      {sla && <Levels sla={sla} />}
      {schema && schema.length > 0 && <Promised columns={schema} actual={actual} />}
      {semantics && semantics.length > 0 && <Rules rules={semantics} />}
      {qualityExpectations && qualityExpectations.length > 0 && (
        <section aria-label="Required tests">
          <h2>Required tests</h2>
          <ul className="reference-grid">
            {qualityExpectations.map((test) => (
              <li key={test.id}>
                <EntityLink reference={test} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {termsOfUse && (
        <section aria-label="Terms of use">
          <h2>Terms of use</h2>
          <Markdown text={termsOfUse} />
        </section>
      )}
      {security && (
        <section aria-label="Security">
          <h2>Security</h2>
          <div className="card">
            <ValueView value={security} />
          </div>
        </section>
      )}
    </div>
  )
}
