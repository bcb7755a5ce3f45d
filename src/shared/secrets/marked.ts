/**
 * Does a JSON text name this member, which begins with a dollar as those do that mark sealed values? Hardly a text has
 * a dollar, while all are full of quotation marks: what is looked for first is found absent in a tenth of the time.
 */
export const namesMarked = (text: string, member: `$${string}`): boolean =>
  text.includes(member) && text.includes(`"${member}"`)
