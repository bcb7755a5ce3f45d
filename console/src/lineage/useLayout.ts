import { useEffect, useRef, useState } from 'react'
import type { Layout, LayoutRequest } from './layout.ts'

/** Where nodes stand, found beside the page; until it is known that of before. @throws Error when the worker fails */
export const useLayout = (request: Omit<LayoutRequest, 'number'>): Layout | undefined => {
  const [layout, setLayout] = useState<Layout>()
  const [failed, setFailed] = useState(false)
  const worker = useRef<Worker>(undefined)
  const asked = useRef(0)
  useEffect(() => {
    const started = new Worker(new URL('./layout.ts', import.meta.url), { type: 'module' })
    started.addEventListener('message', ({ data }: MessageEvent<Layout>) => {
      if (data.number === asked.current) setLayout(data)
    })
    started.addEventListener('error', () => setFailed(true))
    worker.current = started
    return () => started.terminate()
  }, [])
  useEffect(() => worker.current?.postMessage({ ...request, number: ++asked.current }), [request])
  if (failed) throw new Error('The lineage cannot be drawn. Load the page again.')
  return layout
}
