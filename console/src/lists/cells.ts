/** The names of a list in a cell of CSV, as people read them; those in quotes may have the separator in them. */
export const namesOf = (cell: string): string => (cell.match(/(?:"(?:[^"]|"")*"|[^|"]|")+/g) ?? []).join(', ')
