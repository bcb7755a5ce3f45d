import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { loadEntity } from '../api/queries.ts'
import { shownIn } from '../entity/edits.ts'
import { writeOnto, type Proposing } from '../entity/save.ts'
import { Change } from '../time/Changes.tsx'
import { valueChange } from '../time/changes.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { toast } from '../ui/toasts.tsx'
import { propose } from './queries.ts'

interface ProposeDialogProps {
  readonly kind: string
  readonly proposing: Proposing
  readonly onDone: (proposed: boolean) => void
}

/** What somebody may not change, or not alone, is proposed: the difference, and why. */
export const ProposeDialog = ({ kind, proposing, onDone }: ProposeDialogProps) => {
  const { edit, refused } = proposing
  const [seen, setSeen] = useState(proposing.seen)
  const [comment, setComment] = useState('')
  const send = useMutation({
    mutationFn: () =>
      writeOnto(seen, (onto) => propose(kind, onto, edit, comment), {
        load: () => loadEntity(kind, seen.entity.fullyQualifiedName),
        read: ({ entity }) => edit.read(entity),
        show: setSeen,
      }),
    onSuccess: () => {
      toast('Proposed')
      onDone(true)
    },
  })
  return (
    <Dialog wide title="Propose this change" onClose={() => onDone(false)} action={{ words: 'Propose', by: send }}>
      <p>
        {refused
          ? 'This change needs a second person: nothing changes until somebody else accepts it.'
          : 'You may not edit this. Its owners and reviewers decide; nothing changes until one of them accepts.'}
      </p>
      <Change change={valueChange(edit.label, edit.read(seen.entity), shownIn(edit))} />
      <label className="field">
        <span>Why (optional)</span>
        <textarea rows={3} value={comment} onChange={(event) => setComment(event.target.value)} />
      </label>
    </Dialog>
  )
}
