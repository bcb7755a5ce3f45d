import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call, Problem } from '../api/client.ts'
import { loadEntity, queryClient, refresh, type Loaded } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { idPath } from '../api/reads.ts'
import { toast } from '../ui/toasts.tsx'
import type { Edit } from './edits.ts'

/** Somebody was faster: what I wanted, what it was when I began, and what it is now. */
export interface Conflict {
  readonly edit: Edit
  readonly base: Entity
  readonly theirs: Loaded
}

/** A change that somebody may not make, or not alone, and is asked whether to propose it. */
export interface Proposing {
  readonly edit: Edit
  readonly seen: Loaded
  /** The service wants somebody else to decide, although I may edit. */
  readonly refused: boolean
  readonly done: (proposed: boolean) => void
}

export interface Saving {
  /** True when it is saved or proposed; false when it failed or somebody was faster. @param seen the entity that the change is of */
  readonly save: (edit: Edit, seen: Loaded) => Promise<boolean>
  readonly busy: boolean
  readonly error: unknown
  readonly conflict: Conflict | undefined
  readonly proposing: Proposing | undefined
  /** How many conflicts were answered: from then on I have seen what others did. */
  readonly answered: number
  /** Answers a conflict: my value on top of theirs, or theirs as it is. */
  readonly resolve: (keepMine: boolean) => Promise<void>
  readonly reset: () => void
}

type Outcome = 'saved' | 'proposed' | 'left'

const send = async (kind: string, { entity, etag }: Loaded, edit: Edit): Promise<void> => {
  await call<Entity>('PATCH', idPath(kind, entity.id), { ...edit.request(entity), ifMatch: etag })
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What I may do about an entity: change it, or propose changes. */
export interface May {
  readonly edit: boolean
  readonly propose: boolean
}

/**
 * Changes an entity as it was seen. When somebody changed it meanwhile, nothing is overwritten: a change of something
 * else is taken over, a change of the same thing is shown beside mine. What I may not
 * change, or not alone, I can propose.
 */
export const useSaving = (kind: string, loaded: Loaded, may: May): Saving => {
  const [proposing, setProposing] = useState<Proposing>()
  const [conflict, setConflict] = useState<Conflict>()
  const [answered, setAnswered] = useState(0)
  const ask = (edit: Edit, seen: Loaded, refused: boolean): Promise<Outcome> =>
    new Promise((resolve) => {
      const done = (proposed: boolean): void => {
        setProposing(undefined)
        resolve(proposed ? 'proposed' : 'left')
      }
      setProposing({ edit, seen, refused, done })
    })
  const attempt = async (edit: Edit, onto: Loaded): Promise<Outcome> => {
    if (!may.edit) return ask(edit, onto, false)
    try {
      await send(kind, onto, edit)
      return 'saved'
    } catch (error) {
      if (may.propose && error instanceof Problem && error.status === 403) return ask(edit, onto, true)
      if (!(error instanceof Problem) || ![404, 412].includes(error.status)) throw error
      const theirs = await loadEntity(kind, loaded.entity.fullyQualifiedName)
      if (theirs.entity.deleted) {
        await refresh()
        throw new Problem(404, error.code, 'This was deleted meanwhile. It can be saved once it is restored.')
      }
      if (same(edit.read(onto.entity), edit.read(theirs.entity))) return attempt(edit, theirs)
      setConflict({ edit, base: onto.entity, theirs })
      return 'left'
    }
  }
  const mutation = useMutation({
    mutationFn: ({ edit, onto }: { edit: Edit; onto: Loaded }) => attempt(edit, onto),
    onSuccess: async (outcome) => {
      if (outcome !== 'saved') return
      await refresh()
      // Not before: whoever goes on writing then changes what is there now.
      setConflict(undefined)
      toast('Saved')
    },
  })
  const run = (edit: Edit, onto: Loaded): Promise<boolean> =>
    mutation.mutateAsync({ edit, onto }).then(
      (outcome) => outcome !== 'left',
      () => false,
    )
  return {
    save: run,
    busy: mutation.isPending,
    error: mutation.error,
    conflict,
    proposing,
    answered,
    resolve: async (keepMine) => {
      if (conflict === undefined) return
      setAnswered(answered + 1)
      if (keepMine) {
        await run(conflict.edit, conflict.theirs)
        return
      }
      setConflict(undefined)
      await queryClient.invalidateQueries({ queryKey: ['entity'] })
    },
    reset: () => mutation.reset(),
  }
}
