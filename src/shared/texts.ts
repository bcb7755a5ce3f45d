/**
 * Does a JSON text name this member, which begins with a dollar as those do that mark sealed values? Hardly a text has a
 * dollar, while all are full of quotation marks: what is looked for first is found absent in a tenth of the time.
 */
export const namesMarked = (text: string, member: `$${string}`): boolean =>
  text.includes(member) && text.includes(`"${member}"`)

/** The texts one after the other, in UTF-8: a long text made of them first would be copied, and copied again. */
export const utf8Of = (texts: readonly string[]): Buffer => {
  let size = 0
  for (const text of texts) size += Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const text of texts) at += bytes.write(text, at)
  return bytes
}
