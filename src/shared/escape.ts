const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text as it stands in HTML and XML, also in quoted attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => escapes[sign] as string)

/** Characters that control a terminal, end a line, or turn the direction of text. */
const controls = /[^\P{Cc}\t]|[\u2028\u2029]|\p{Bidi_Control}/gu

/** A line with such characters escaped as in JSON, which stays the same JSON. What stands in it may come from anybody. */
export const printable = (line: string): string =>
  line.replaceAll(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
