import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Problems } from '../ui/States.tsx'
import { Ago } from '../ui/Time.tsx'
import { TextDiff } from '../time/Changes.tsx'
import type { Conflict, Saving } from './save.ts'
import { ValueView } from './ValueView.tsx'

const textOf = (value: unknown): string | undefined =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : undefined

/** Somebody changed the same thing meanwhile: both sides, and the choice. */
export const ConflictDialog = ({ conflict, saving }: { conflict: Conflict; saving: Saving }) => {
  const { edit, base, theirs } = conflict
  const [mine, now] = [textOf(edit.value), textOf(edit.read(theirs.entity))]
  return (
    <Dialog
      wide
      title="Changed by somebody else"
      onClose={() => void saving.resolve(false)}
      busy={saving.busy}
      actions={
        <>
          <Button busy={saving.busy} onClick={() => void saving.resolve(false)}>
            Take theirs
          </Button>
          <Button look="primary" busy={saving.busy} onClick={() => void saving.resolve(true)}>
            Keep mine
          </Button>
        </>
      }
    >
      <p>
        <strong>{theirs.entity.updatedBy}</strong> changed “{edit.label}” <Ago time={theirs.entity.updatedAt} />, while
        you were writing. Nothing of yours is saved yet.
      </p>
      <div className="diff-heads">
        <span>Theirs, the current value</span>
        <span>Yours</span>
      </div>
      {mine !== undefined && now !== undefined ? (
        <TextDiff before={now} after={mine} />
      ) : (
        <div className="diff-sides">
          <div className="diff-side was">
            <ValueView value={edit.read(theirs.entity)} />
          </div>
          <div className="diff-side is">
            <ValueView value={edit.value} />
          </div>
        </div>
      )}
      <Problems error={saving.error} />
      <details>
        <summary>The value when you started editing</summary>
        <ValueView value={edit.read(base)} />
      </details>
    </Dialog>
  )
}
