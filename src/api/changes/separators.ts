/**
 * What parts the cells and rows of a CSV file: the first comma, semicolon or tab, which is that of its header, and line
 * breaks of any kind, which may differ within a file.
 */
export const separatorsOf = (text: string) => ({
  delimiter: /[,;\t]/.exec(text)?.[0] ?? ',',
  record_delimiter: ['\r\n', '\n', '\r'],
})
