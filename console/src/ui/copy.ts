import { toast } from './toasts.tsx'

/** Puts a text onto the clipboard, which a page without TLS has not. */
export const copyText = async (text: string): Promise<void> => navigator.clipboard.writeText(text)

/** Copies a text and says so; where that is not possible, it shows the text. */
export const copy = (text: string, what: string): void =>
  void copyText(text).then(
    () => toast(`${what} copied`),
    () => toast(`The browser blocked copying. Copy it from here: ${text}`, true),
  )
