/** One line that begins with a letter and holds nothing that Markdown gives a meaning. */
const plain = /^\p{L}(?:[\p{L}\p{N} .,;:?!'"()%/–—…’“”€$+-]*[\p{L}\p{N}.,;:?!'"()%/–—…’“”€$+-])?$/u

/** Texts that become links by themselves. */
const address = /:\/\/|www\./i

/** Markdown makes nothing but one paragraph with these very words of it. Most descriptions of columns are so, and reading one as Markdown costs a hundred times as much. */
export const isPlainText = (text: string): boolean => plain.test(text) && !address.test(text)
