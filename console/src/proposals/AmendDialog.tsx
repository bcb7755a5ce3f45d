import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { entityQuery } from '../api/queries.ts'
import { typedJson } from '../api/typedJson.ts'
import { replacing } from '../entity/edits.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { wordsOf } from '../ui/format.ts'
import { toast } from '../ui/toasts.tsx'
import { decide, proposedPatch, type Proposal } from './queries.ts'

/** How a value is written down to be edited: texts as they are, everything else as JSON, and what is cleared as nothing. */
const written = (value: unknown): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)

const readAs = (isText: boolean, text: string, member: string): unknown => {
  if (text === '') return null
  if (isText) return text
  const typed = typedJson(text)
  if (typeof typed === 'string') throw new Error(`${wordsOf(member)} is not valid JSON.`)
  return typed
}

/** Accepts with another change than was proposed. */
export const AmendDialog = ({ proposal, onClose }: { proposal: Proposal; onClose: () => void }) => {
  const { type, fullyQualifiedName } = proposal.entity
  const present = useQuery(entityQuery(type, fullyQualifiedName)).data?.entity
  const isText = (name: string, value: unknown): boolean => typeof (value ?? present?.[name]) === 'string'
  const proposed = Object.entries(proposedPatch(proposal))
  const [texts, setTexts] = useState(() => Object.fromEntries(proposed.map(([name, value]) => [name, written(value)])))
  const accept = useMutation({
    mutationFn: async () => {
      const patch = proposed.map(([name, value]) =>
        replacing(`/${name}`, readAs(isText(name, value), texts[name] ?? '', name)),
      )
      await decide(proposal, 'accept', { patch })
    },
    onSuccess: () => {
      toast('Accepted with your changes')
      onClose()
    },
  })
  return (
    <Dialog wide title="Amend and accept" onClose={onClose} action={{ words: 'Accept with these changes', by: accept }}>
      <p>These values are saved instead. The proposal stays unchanged and is marked as amended.</p>
      {proposed.map(([name, value]) => (
        <label key={name} className="field">
          <span>
            {wordsOf(name)}
            {!isText(name, value) && ' (JSON)'}
          </span>
          <textarea
            rows={isText(name, value) ? 5 : 10}
            value={texts[name]}
            onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
          />
        </label>
      ))}
    </Dialog>
  )
}
