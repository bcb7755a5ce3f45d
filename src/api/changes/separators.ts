/**
 * What parts the cells and rows of a CSV file: the first comma, semicolon or tab, which is that of its header, and line
 * breaks, which may differ within a file. A carriage return alone is one only where no other stands
 * outside of quotes.
 */
export const separatorsOf = (text: string) => ({
  delimiter: /[,;\t]/.exec(text)?.[0] ?? ',',
  record_delimiter: text.replaceAll(/"[^"]*"/g, '').includes('\n') ? ['\r\n', '\n'] : '\r',
})
