import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

interface ShownOnceProps {
  readonly title: string
  /** What it is good for. */
  readonly about: string
  readonly secret: string
  readonly onClose: () => void
}

/** A secret that no later answer shows. */
export const ShownOnce = ({ title, about, secret, onClose }: ShownOnceProps) => (
  <Dialog
    title={title}
    onClose={onClose}
    actions={
      <Button look="primary" onClick={onClose}>
        I have it
      </Button>
    }
  >
    <p>{about} It is shown this once.</p>
    <pre className="code" tabIndex={0}>
      {secret}
    </pre>
  </Dialog>
)
