import { createContext, useContext } from 'react'
import { Button } from './Button.tsx'

/** What the button says that saves: on some pages a change is proposed. */
export const SaveLabel = createContext('Save')

/** How a form ends that changes something: by saving, which submits it, or not at all. */
export const SaveOrCancel = ({ busy, onCancel }: { busy: boolean; onCancel: () => void }) => (
  <>
    <Button look="primary" type="submit" busy={busy}>
      {useContext(SaveLabel)}
    </Button>
    <Button onClick={onCancel}>Cancel</Button>
  </>
)
