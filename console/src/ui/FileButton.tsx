import { useRef } from 'react'
import { Button } from './Button.tsx'
import { formatNumber } from './format.ts'
import { toastError } from './toasts.tsx'

/** A file that somebody chose or dropped. */
export interface TextFile {
  readonly name: string
  readonly text: string
}

/** Bytes of the largest file that the catalog takes: a sheet. */
const longest = 32 * 1_048_576

const encodingOf = ([first, second]: Uint8Array): string =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'

/** Decodes a file as UTF-8, or as its byte order mark says. @throws Error when that loses anything, or it is empty or too large */
export const readTextFile = async (file: File): Promise<TextFile> => {
  if (file.size > longest)
    throw new Error(
      `${file.name} is larger than ${formatNumber(longest / 1_048_576)} MiB, which is more than the catalog takes.`,
    )
  const bytes = new Uint8Array(await file.arrayBuffer())
  const decoder = new TextDecoder(encodingOf(bytes), { fatal: true })
  try {
    const text = decoder.decode(bytes)
    if (text.trim() !== '') return { name: file.name, text }
  } catch {
    throw new Error(
      `${file.name} is not a text file in UTF-8. Save it as UTF-8 (in Excel: “CSV UTF-8”), and choose it again.`,
    )
  }
  throw new Error(`${file.name} is empty.`)
}

interface FileButtonProps {
  readonly words: string
  readonly label: string
  readonly accept: string
  readonly onFile: (file: TextFile) => void
}

/** Asks for a text file; one that cannot be read is refused with the reason. */
export const FileButton = ({ words, label, accept, onFile }: FileButtonProps) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button icon="upload" onClick={() => input.current?.click()}>
        {words}
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        accept={accept}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          // The same file can be chosen again once it is mended.
          if (file)
            void readTextFile(file)
              .then(onFile, toastError)
              .finally(() => (currentTarget.value = ''))
        }}
      />
    </>
  )
}
