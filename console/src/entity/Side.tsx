import { Contained } from '../ui/Contained.tsx'
import { useMemo, type ReactNode } from 'react'
import { useMay } from '../api/permissions.ts'
import type { Reference, TagLabel } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { formatNumber, wordsOf } from '../ui/format.ts'
import { Tag } from '../ui/Tag.tsx'
import { Ago } from '../ui/Time.tsx'
import { useEditor, useShown, type Editor } from './context.ts'
import { setMember, setReferences } from './edits.ts'
import { partsOf, type Parts } from './parts.ts'
import { Picker } from './Picker.tsx'
import { asLabel, asReference, testedIn } from './references.ts'
import { Details } from './Details.tsx'
import { Fact } from './Fact.tsx'
import { useStaying } from './staying.ts'
import { AuthorsSwitch, Written } from './Written.tsx'

interface FieldProps {
  readonly title: string
  /** The member that it shows; left out, what nobody wrote. */
  readonly member?: string
  readonly children: ReactNode
  /** Shows what edits it. */
  readonly editor?: (editor: Editor) => ReactNode
}

/** One group of the column beside the page. */
const Field = ({ title, member, children, editor }: FieldProps) => {
  const { editable } = useShown()
  const opened = useEditor()
  return (
    <section className="side-field" aria-label={title}>
      <h3>
        {title}
        {editor && editable && !opened.isOpen && (
          <Button
            look="quiet"
            icon="pencil"
            label={`Edit ${title.toLowerCase()}`}
            className="edit"
            onClick={opened.open}
          />
        )}
      </h3>
      {opened.isOpen && editor ? editor(opened) : children}
      {member !== undefined && <Written path={member} />}
    </section>
  )
}

const None = () => <p className="hint">None</p>

const References = ({ references }: { references: readonly Reference[] | undefined }) =>
  references === undefined || references.length === 0 ? (
    <None />
  ) : (
    <ul className="plain">
      {references.map((reference) => (
        <li key={reference.id}>
          <EntityLink reference={reference} />
        </li>
      ))}
    </ul>
  )

interface ReferenceFieldProps {
  readonly member: string
  readonly title: string
  readonly kinds: readonly string[]
  readonly references: readonly Reference[] | undefined
}

const ReferenceField = ({ member, title, kinds, references }: ReferenceFieldProps) => {
  return (
    <Field
      title={title}
      member={member}
      editor={({ close, save, busy, error }) => (
        <Picker
          label={title}
          kinds={kinds}
          chosen={references ?? []}
          busy={busy}
          error={error}
          onCancel={close}
          onSave={(chosen) => save(setReferences(member, chosen))}
        />
      )}
    >
      <References references={references} />
    </Field>
  )
}

const Tags = ({ tags }: { tags: readonly TagLabel[] | undefined }) => {
  return (
    <Field
      title="Tags and terms"
      member="tags"
      editor={({ close, save, busy, error }) => (
        <Picker
          label="Tags and terms"
          kinds={['tag', 'glossaryTerm']}
          chosen={(tags ?? []).map(asReference)}
          busy={busy}
          error={error}
          onCancel={close}
          onSave={(chosen) => save(setMember('tags', chosen.map(asLabel)))}
        />
      )}
    >
      {tags === undefined || tags.length === 0 ? (
        <None />
      ) : (
        <div className="tags">
          {tags.map((tag) => (
            <Tag key={`${tag.source} ${tag.tagFQN}`} tag={tag} />
          ))}
        </div>
      )}
    </Field>
  )
}

const Words = ({ words }: Pick<Parts, 'words'>) =>
  words.map(([name, list]) => (
    <Field key={name} title={wordsOf(name)} member={name}>
      <div className="tags">
        {list.map((word) => (
          <span key={word} className="word">
            {word}
          </span>
        ))}
      </div>
    </Field>
  ))

/** Long lists of references stand on the page itself. */
export const longList = 6

/** What stands beside the page: who, where, and the short facts. */
export const Side = () => {
  const { kind, loaded } = useShown()
  const { entity } = loaded
  const mayHistory = useMay('history', kind.name)
  const { facts, words, references } = useMemo(() => partsOf(entity, kind), [entity, kind])
  const staying = useStaying(facts, ([name]) => name)
  const isPrincipal = kind.group === 'people'
  const tested = testedIn(entity)
  return (
    <aside className="side" aria-label="Details">
      <Contained of={entity}>
        {mayHistory && <AuthorsSwitch />}
        {!isPrincipal && (
          <>
            <ReferenceField member="owners" title="Owners" kinds={['user', 'team']} references={entity.owners} />
            <ReferenceField member="domains" title="Domains" kinds={['domain']} references={entity.domains} />
          </>
        )}
        {tested && (
          <Field title="Tested asset">
            <EntityLink reference={tested}>{String(entity['entityFQN'])}</EntityLink>
          </Field>
        )}
        <Tags tags={entity.tags} />
        {references
          .filter(([, list]) => list.length < longList)
          .map(([name, list]) => (
            <Field key={name} title={wordsOf(name)} member={name}>
              <References references={list} />
            </Field>
          ))}
        <Words words={words} />
        {staying.length > 0 && (
          <section className={facts.length > 0 ? 'side-field' : 'side-field away'} aria-label="Facts">
            <h3>Facts</h3>
            <dl className="facts">
              {staying.map(({ thing: [name, value], gone }) => (
                <Fact key={name} name={name} value={value} gone={gone} />
              ))}
            </dl>
          </section>
        )}
        <Details />
        {entity.followers && entity.followers.length > 0 && (
          <Field title={`Followers (${formatNumber(entity.followers.length)})`}>
            <References references={entity.followers.slice(0, 12)} />
          </Field>
        )}
        <p className="hint side-foot">
          Last changed <Ago time={entity.updatedAt} /> by {entity.updatedBy}
        </p>
      </Contained>
    </aside>
  )
}
