import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Ribbon } from '../time/Ribbon.tsx'
import { Calendar } from '../time/Calendar.tsx'
import type { Life } from '../time/moments.ts'
import { Button } from '../ui/Button.tsx'
import { EditForm } from '../ui/EditForm.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import { Popover } from '../ui/Popover.tsx'
import { SaveOrCancel } from '../ui/SaveOrCancel.tsx'
import { Problems } from '../ui/States.tsx'
import { formatVersion } from '../ui/format.ts'
import { Actions } from './Actions.tsx'
import { useEditor, useShown } from './context.ts'
import { setMember } from './edits.ts'
import { tabInPast, useEntitySearch } from './EntityPage.tsx'
import { copy } from '../ui/copy.ts'
import { ancestorsOf } from './parts.ts'

const Crumbs = () => {
  const { loaded } = useShown()
  const ancestors = ancestorsOf(loaded.entity)
  if (ancestors.length === 0) return null
  return (
    <nav className="crumbs" aria-label="Breadcrumbs">
      <ol>
        {ancestors.map((ancestor) => (
          <li key={ancestor.id}>
            <EntityLink reference={ancestor} icon={false} />
          </li>
        ))}
      </ol>
    </nav>
  )
}

const Title = () => {
  const { loaded, editable } = useShown()
  const { entity } = loaded
  const editor = useEditor()
  const [draft, setDraft] = useState('')
  const open = (): void => {
    setDraft(entity.displayName ?? '')
    editor.open()
  }
  if (!editor.isOpen) {
    return (
      <h1 className="editable">
        {entity.displayName ?? entity.name}
        {editable && (
          <Button look="quiet" icon="pencil" className="edit" label="Edit the display name" onClick={open} />
        )}
      </h1>
    )
  }
  return (
    <EditForm
      className="title-editor"
      busy={editor.busy}
      onSave={() => editor.save(setMember('displayName', draft.trim() || null))}
      onCancel={editor.close}
    >
      <input
        aria-label="Display name"
        autoFocus
        placeholder={entity.name}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      <SaveOrCancel busy={editor.busy} onCancel={editor.close} />
      <Problems error={editor.error} />
    </EditForm>
  )
}

const Names = () => {
  const { kind, loaded } = useShown()
  const { entity } = loaded
  const status = entity.entityStatus
  return (
    <p className="names">
      <span className="kind-name">{kind.one}</span>
      <code>{entity.fullyQualifiedName}</code>
      <Button
        look="quiet"
        icon="copy"
        label="Copy the fully qualified name"
        onClick={() => copy(entity.fullyQualifiedName, 'Name')}
      />
      <span className="badge">version {formatVersion(entity.version)}</span>
      {status !== undefined && status !== 'Unprocessed' && (
        <span className={`badge status-${status.toLowerCase()}`}>{status}</span>
      )}
      {typeof entity['due'] === 'string' && <span className="badge bad">to be confirmed since {entity['due']}</span>}
      {entity.deleted && <span className="badge bad">deleted</span>}
    </p>
  )
}

/** The life as a line, and a calendar of it: each leads to a moment, which the address then has. */
const Line = ({ life: { moments, source } }: { life: Life }) => {
  const { asOf, tab } = useEntitySearch()
  const navigate = useNavigate()
  const choose = (moment: string | undefined): Promise<void> =>
    navigate({
      to: '.',
      search: { tab: tabInPast(tab), asOf: moment },
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <Ribbon moments={moments} isWhole={source?.hasNextPage !== true} asOf={asOf} onChoose={choose} />
      <Popover label="Choose a day" icon="calendar" look="plain">
        {(close) => (
          <Calendar
            moments={moments}
            isWhole={source?.hasNextPage !== true}
            asOf={asOf}
            onChoose={(moment) => {
              void choose(moment)
              close()
            }}
          />
        )}
      </Popover>
    </>
  )
}

/** The head of an entity's page: what it is, what one can do with it, and its life as a line, which has its room before it comes. */
export const Header = ({ life }: { life: Life }) => {
  const { kind } = useShown()
  return (
    <header className="entity-head">
      <Crumbs />
      <div className="entity-title">
        <KindIcon kind={kind.name} size={26} badge />
        <div className="entity-names">
          <Title />
          <Names />
        </div>
        <Actions />
      </div>
      {(life.source?.isFetching === true || life.moments.length > 0) && (
        <div className="life">{life.moments.length > 0 && <Line life={life} />}</div>
      )}
    </header>
  )
}
