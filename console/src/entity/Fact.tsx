import { useState } from 'react'
import { typedJson, type TypedJson } from '../api/typedJson.ts'
import { Button } from '../ui/Button.tsx'
import { EditForm } from '../ui/EditForm.tsx'
import { SaveOrCancel } from '../ui/SaveOrCancel.tsx'
import { durationWords } from '../ui/duration.ts'
import { wordsOf } from '../ui/format.ts'
import { Problems } from '../ui/States.tsx'
import { useEditor, useShown, type Editor } from './context.ts'
import { setMember } from './edits.ts'
import { Written } from './Written.tsx'

type Value = string | number | boolean

/** What the service computes or never changes. */
const fixed = new Set(['termCount', 'entityFQN', 'provider', 'entityLink', 'inherited', 'isAdmin', 'isBot', 'due'])

const shownValue = (value: Value): React.ReactNode => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (/^https?:\/\//.test(value))
    return (
      <a href={value} target="_blank" rel="noreferrer noopener">
        {value.replace(/^https?:\/\//, '')}
      </a>
    )
  return durationWords(value) ?? value
}

/** What was typed, as the kind of value that stood there; `null` clears. */
const readValue = (text: string, before: Value): Value | TypedJson | null => {
  if (text.trim() === '') return null
  if (typeof before === 'number') return typedJson(text)
  return typeof before === 'boolean' ? text === 'true' : text
}

const FactEditor = ({ name, value: now, editor }: { name: string; value: Value; editor: Editor }) => {
  const [value] = useState(now)
  const [text, setText] = useState(String(value))
  const Text = /[\r\n]/.test(String(value)) ? 'textarea' : 'input'
  return (
    <EditForm
      className="fact-editor"
      busy={editor.busy}
      onSave={() => editor.save(setMember(name, readValue(text, value)))}
      onCancel={editor.close}
    >
      {typeof value === 'boolean' ? (
        <select aria-label={wordsOf(name)} autoFocus value={text} onChange={(event) => setText(event.target.value)}>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      ) : (
        <Text
          aria-label={wordsOf(name)}
          autoFocus
          value={text}
          onChange={({ target }: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => setText(target.value)}
        />
      )}
      <Problems error={editor.error} />
      <div className="row">
        <SaveOrCancel busy={editor.busy} onCancel={editor.close} />
      </div>
    </EditForm>
  )
}

/** One short member, edited where it stands. */
export const Fact = ({ name, value, gone }: { name: string; value: Value; gone: boolean }) => {
  const { kind, editable } = useShown()
  const editor = useEditor()
  const inherited = name === 'serviceType' && !kind.name.endsWith('Service')
  const mayEdit = editable && !fixed.has(name) && !inherited
  return (
    <div className={gone ? 'fact editable away' : 'fact editable'}>
      <dt>
        {wordsOf(name)} {gone && <small>no longer there</small>}
      </dt>
      <dd>
        {editor.isOpen ? (
          <FactEditor name={name} value={value} editor={editor} />
        ) : (
          <>
            <span>{shownValue(value)}</span>
            {mayEdit && (
              <Button
                look="quiet"
                icon="pencil"
                className="edit"
                label={`Edit ${wordsOf(name).toLowerCase()}`}
                onClick={editor.open}
              />
            )}
          </>
        )}
        <Written path={name} />
      </dd>
    </div>
  )
}
