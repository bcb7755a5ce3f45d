import { Button } from './Button.tsx'

/** How a form ends that changes something: by saving, which submits it, or not at all. */
export const SaveOrCancel = ({ busy, onCancel }: { busy: boolean; onCancel: () => void }) => (
  <>
    <Button look="primary" type="submit" busy={busy}>
      Save
    </Button>
    <Button onClick={onCancel}>Cancel</Button>
  </>
)
