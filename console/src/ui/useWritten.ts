import { useEffect, useRef, useState } from 'react'
import { useDebounced } from './useDebounced.ts'

/**
 * A text of the address, in a field: what is written there goes to the address once nobody has written on for so many
 * milliseconds, and Back brings another one.
 */
export const useWritten = (text: string, onSettled: (text: string) => void, milliseconds: number) => {
  const [written, setWritten] = useState(text)
  const settled = useDebounced(written, milliseconds)
  const sent = useRef(text)
  useEffect(() => {
    if (settled !== written || settled === sent.current) return
    sent.current = settled
    if (settled !== text) onSettled(settled)
  }, [settled, written, text, onSettled])
  useEffect(() => {
    if (text !== sent.current) setWritten((sent.current = text))
  }, [text])
  return [written, setWritten] as const
}
