import { useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { copyText } from './copy.ts'

interface ShownOnceProps {
  readonly title: string
  /** What it is good for. */
  readonly about: string
  readonly secret: string
  readonly onClose: () => void
}

/** A secret that no later answer shows: nothing closes it but the word that it is kept. */
export const ShownOnce = ({ title, about, secret, onClose }: ShownOnceProps) => {
  const [told, setTold] = useState('')
  const copy = (): void =>
    void copyText(secret).then(
      () => setTold('Copied'),
      () => setTold('The browser blocked copying: select it and copy it by hand.'),
    )
  return (
    <Dialog
      title={title}
      actions={
        <>
          <span className="hint" role="status">
            {told}
          </span>
          <Button icon="copy" onClick={copy}>
            Copy
          </Button>
          <Button look="primary" onClick={onClose}>
            I have it
          </Button>
        </>
      }
    >
      <p>{about} It is shown this once.</p>
      <pre className="code" tabIndex={0}>
        {secret}
      </pre>
    </Dialog>
  )
}
