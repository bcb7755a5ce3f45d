import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { EditForm } from '../ui/EditForm.tsx'
import { Markdown } from '../ui/Markdown.tsx'
import { SaveOrCancel } from '../ui/SaveOrCancel.tsx'
import { Problems } from '../ui/States.tsx'
import { useEditor, useShown } from './context.ts'
import { setMember } from './edits.ts'
import { Written } from './Written.tsx'

interface EditorProps {
  readonly label: string
  readonly text: string
  readonly busy: boolean
  readonly error: unknown
  readonly onSave: (text: string) => void
  readonly onCancel: () => void
  readonly rows?: number
}

/** Writes Markdown, with a preview of what it will look like. */
export const MarkdownEditor = ({ label, text, busy, error, onSave, onCancel, rows = 8 }: EditorProps) => {
  const [draft, setDraft] = useState(text)
  const [preview, setPreview] = useState(false)
  return (
    <EditForm className="editor" busy={busy} onSave={() => onSave(draft)} onCancel={onCancel}>
      {preview ? (
        <div className="editor-preview">
          {draft.trim() === '' ? <p className="hint">Nothing yet</p> : <Markdown text={draft} />}
        </div>
      ) : (
        <textarea
          aria-label={label}
          rows={rows}
          autoFocus
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
      )}
      <Problems error={error} />
      <div className="row">
        <SaveOrCancel busy={busy} onCancel={onCancel} />
        <Button look="quiet" onClick={() => setPreview(!preview)}>
          {preview ? 'Write' : 'Preview'}
        </Button>
        <span className="hint end">Markdown · Ctrl+Enter saves</span>
      </div>
    </EditForm>
  )
}

/** The description, edited where it stands. */
export const Description = () => {
  const { loaded, editable } = useShown()
  const editor = useEditor()
  const { description = '' } = loaded.entity
  if (editor.isOpen) {
    return (
      <section aria-label="Description">
        <MarkdownEditor
          label="Description"
          text={description}
          busy={editor.busy}
          error={editor.error}
          onCancel={editor.close}
          onSave={(text) => editor.save(setMember('description', text === '' ? null : text))}
        />
      </section>
    )
  }
  return (
    <section aria-label="Description" className="editable">
      {description === '' ? <p className="hint">Nobody has described this yet.</p> : <Markdown text={description} />}
      <Written path="description" />
      {editable && (
        <Button look="quiet" icon="pencil" label="Edit the description" className="edit" onClick={editor.open} />
      )}
    </section>
  )
}
