import { call, Problem } from '../api/client.ts'
import { loadEntity, refresh, type Loaded } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { idPath } from '../api/reads.ts'
import type { Edit } from './edits.ts'
import { same } from './parts.ts'

/** Somebody was faster: what I wanted, what it was when I began, and what it is now. */
export interface Conflict {
  readonly edit: Edit
  readonly base: Entity
  readonly theirs: Loaded
}

/** Which side of a conflict counts; `undefined`: I go on writing. */
export type Resolution = 'mine' | 'theirs' | undefined

/** A change that somebody may not make, or not alone, and is asked whether to propose it. */
export interface Proposing {
  readonly edit: Edit
  readonly seen: Loaded
  /** The service wants somebody else to decide, although I may edit. */
  readonly refused: boolean
}

/** How something is saved on a page. */
export interface Saving {
  readonly kind: string
  /** I may change it. */
  readonly edit: boolean
  /** I may propose changes. */
  readonly propose: boolean
  readonly askConflict: (conflict: Conflict) => Promise<Resolution>
  /** Asks to propose instead, and tells whether that happened. */
  readonly askProposal: (proposing: Proposing) => Promise<boolean>
}

const send = async (kind: string, { entity, etag }: Loaded, edit: Edit): Promise<void> => {
  await call<Entity>('PATCH', idPath(kind, entity.id), { ...edit.request(entity), ifMatch: etag })
}

interface Present<Seen> {
  readonly load: () => Promise<Seen>
  /** What is replaced. */
  readonly read: (seen: Seen) => unknown
  readonly show: (now: Seen) => void
}

/**
 * Writes onto what was seen. When only something else has changed meanwhile, it is written onto what is there now.
 * @throws Problem 412 when what is replaced has changed: it is shown by then, and may be replaced with open eyes
 */
export const writeOnto = async <Seen extends { readonly etag?: string | undefined }>(
  seen: Seen,
  write: (seen: Seen) => Promise<unknown>,
  present: Present<Seen>,
): Promise<void> => {
  try {
    await write(seen)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 412) throw error
    const now = await present.load()
    present.show(now)
    if (now.etag === seen.etag || !same(present.read(seen), present.read(now))) throw error
    await writeOnto(now, write, present)
  }
}

/** What became of a change; `left`: nothing, and whoever writes goes on. */
export type Outcome = 'saved' | 'proposed' | 'theirs' | 'left'

/**
 * Changes an entity as it was seen. When somebody changed it meanwhile, nothing is overwritten: a change of something
 * else is taken over, of a change of the same thing I see both sides and choose. What I may not change, or not alone, I
 * can propose. What is refused as overtaken although it was not, as where a proxy alters `If-Match`, is not sent again.
 * @throws Problem, Error
 */
export const save = async (saving: Saving, edit: Edit, seen: Loaded): Promise<Outcome> => {
  const { kind } = saving
  const propose = async (refused: boolean): Promise<Outcome> =>
    (await saving.askProposal({ edit, seen, refused })) ? 'proposed' : 'left'
  if (!saving.edit) return propose(false)
  try {
    await send(kind, seen, edit)
    return 'saved'
  } catch (error) {
    if (saving.propose && error instanceof Problem && error.status === 403) return propose(true)
    if (!(error instanceof Problem) || ![404, 412].includes(error.status)) throw error
    const theirs = await loadEntity(kind, seen.entity.fullyQualifiedName)
    if (theirs.entity.deleted) {
      await refresh()
      throw new Problem(404, error.code, 'This was deleted meanwhile. It can be saved once it is restored.')
    }
    const there = edit.read(theirs.entity)
    // The answer to an earlier attempt was lost, or somebody else wanted the same.
    if (same(there, edit.value)) return 'saved'
    if (theirs.etag === seen.etag)
      throw new Error(`This was refused although nothing has changed meanwhile: ${error.message}`, { cause: error })
    const isUntouched = same(edit.read(seen.entity), there)
    const resolution = isUntouched ? 'mine' : await saving.askConflict({ edit, base: seen.entity, theirs })
    return resolution === 'mine' ? save(saving, edit, theirs) : (resolution ?? 'left')
  }
}
