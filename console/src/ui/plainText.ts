/** One line that begins with a letter and holds nothing that Markdown gives a meaning. */
const plain = /^\p{L}(?:[\p{L}\p{N} .,;:?!'"()%/–—…’“”€$+-]*[\p{L}\p{N}.,;:?!'"()%/–—…’“”€$+-])?$/u

/** Texts that become links by themselves. */
const address = /:\/\/|www\./i

/** Markdown makes nothing but one paragraph with these very words of it. Most descriptions of columns are so, and reading one as Markdown costs a hundred times as much. */
export const isPlainText = (text: string): boolean => plain.test(text) && !address.test(text)

/** Characters in which a first line is looked for, and of a line that are shown: reading one costs the square of its length. */
const [lookedAt, longest] = [2_000, 300]

/** The first line that says something, without what Markdown makes of it: for lists, where a description has one line. */
export const firstLine = (markdown: string | undefined): string | undefined =>
  markdown
    ?.slice(0, lookedAt)
    .split('\n')
    .map((line) =>
      line
        .slice(0, longest)
        .replace(/^\s*(?:#{1,6}\s+|>\s*|[-*+]\s+|\d+\.\s+)/, '')
        .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replaceAll(/(\*\*|__|~~|`)(?=\S)(.*?\S)\1/g, '$2')
        .trim(),
    )
    .find((line) => line !== '')
