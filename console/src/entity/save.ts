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

export interface Saving {
  /** True when it is saved; false when it failed or somebody was faster. @param seen the entity that the change is of */
  readonly save: (edit: Edit, seen: Loaded) => Promise<boolean>
  readonly busy: boolean
  readonly error: unknown
  readonly conflict: Conflict | undefined
  /** How many conflicts were answered: from then on I have seen what others did. */
  readonly answered: number
  /** Answers a conflict: my value on top of theirs, or theirs as it is. */
  readonly resolve: (keepMine: boolean) => Promise<void>
  readonly reset: () => void
}

const send = async (kind: string, { entity, etag }: Loaded, edit: Edit): Promise<void> => {
  await call<Entity>('PATCH', idPath(kind, entity.id), { ...edit.request(entity), ifMatch: etag })
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * Changes an entity as it was seen. When somebody changed it meanwhile, nothing is overwritten: a change of something
 * else is taken over, a change of the same thing is shown beside mine.
 */
export const useSaving = (kind: string, loaded: Loaded): Saving => {
  const [conflict, setConflict] = useState<Conflict>()
  const [answered, setAnswered] = useState(0)
  const attempt = async (edit: Edit, onto: Loaded): Promise<boolean> => {
    try {
      await send(kind, onto, edit)
      return true
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 412) throw error
      const theirs = await loadEntity(kind, loaded.entity.fullyQualifiedName)
      if (same(edit.read(onto.entity), edit.read(theirs.entity))) return attempt(edit, theirs)
      setConflict({ edit, base: onto.entity, theirs })
      return false
    }
  }
  const mutation = useMutation({
    mutationFn: ({ edit, onto }: { edit: Edit; onto: Loaded }) => attempt(edit, onto),
    onSuccess: async (saved) => {
      if (!saved) return
      await refresh()
      // Not before: whoever goes on writing then changes what is there now.
      setConflict(undefined)
      toast('Saved')
    },
  })
  const run = (edit: Edit, onto: Loaded): Promise<boolean> => mutation.mutateAsync({ edit, onto }).catch(() => false)
  return {
    save: run,
    busy: mutation.isPending,
    error: mutation.error,
    conflict,
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
