import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Ago } from '../ui/Time.tsx'
import { TextDiff } from '../time/Changes.tsx'
import { shownIn } from './edits.ts'
import type { Conflict, Resolution } from './save.ts'
import { ValueView } from './ValueView.tsx'

const textOf = (value: unknown): string | undefined =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : undefined

interface ConflictDialogProps {
  readonly conflict: Conflict
  readonly onChoose: (resolution: Resolution) => void
}

/** Somebody changed the same thing meanwhile: both sides, and the choice. */
export const ConflictDialog = ({ conflict: { edit, base, theirs }, onChoose }: ConflictDialogProps) => {
  const [mine, now] = [textOf(edit.value), textOf(edit.read(theirs.entity))]
  return (
    <Dialog
      wide
      title="Changed by somebody else"
      onClose={() => onChoose(undefined)}
      actions={
        <>
          <Button onClick={() => onChoose('theirs')}>Take theirs</Button>
          <Button look="primary" onClick={() => onChoose('mine')}>
            Keep mine
          </Button>
        </>
      }
    >
      <p>
        “{edit.label}” was changed while you were writing. Nothing of yours is saved yet. The last change to anything
        here is by <strong>{theirs.entity.updatedBy}</strong>, <Ago time={theirs.entity.updatedAt} />.
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
            <ValueView value={shownIn(edit)} />
          </div>
        </div>
      )}
      <details>
        <summary>The value when you started editing</summary>
        <ValueView value={edit.read(base)} />
      </details>
    </Dialog>
  )
}
