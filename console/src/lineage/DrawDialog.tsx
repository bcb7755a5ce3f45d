import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { lineaged } from '../api/kinds.ts'
import type { Reference } from '../api/types.ts'
import { Choice } from '../entity/Picker.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { toast } from '../ui/toasts.tsx'
import { drawEdge, type Asset } from './queries.ts'

const kinds = [...lineaged]

/** Says by hand where data comes from, or where it goes. */
export const DrawDialog = ({ asset, onClose }: { asset: Asset; onClose: () => void }) => {
  const [isUp, setIsUp] = useState(true)
  const [chosen, setChosen] = useState<readonly Reference[]>([])
  const [other] = chosen
  const draw = useMutation({
    mutationFn: async () => {
      if (other !== undefined) await (isUp ? drawEdge(other, asset, true) : drawEdge(asset, other, true))
    },
    onSuccess: () => {
      onClose()
      toast('The edge is drawn')
    },
  })
  return (
    <Dialog title="Draw an edge" onClose={onClose} action={{ words: 'Draw', by: draw, disabled: other === undefined }}>
      <div className="row">
        <label className="check">
          <input type="radio" name="direction" checked={isUp} onChange={() => setIsUp(true)} />
          its data comes from
        </label>
        <label className="check">
          <input type="radio" name="direction" checked={!isUp} onChange={() => setIsUp(false)} />
          its data goes to
        </label>
      </div>
      <Choice label="The other asset" kinds={kinds} chosen={chosen} single autoFocus onChange={setChosen} />
      <p className="hint">Its source is “manual”; edges of loaders stay unchanged.</p>
    </Dialog>
  )
}
