/** The texts one after the other, in UTF-8: a long text made of them first would be copied, and copied again. */
export const utf8Of = (texts: readonly string[]): Buffer => {
  let size = 0
  for (const text of texts) size += Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const text of texts) at += bytes.write(text, at)
  return bytes
}
