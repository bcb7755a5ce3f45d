/** Does a JSON text name this member? Few texts have a dollar, and all quotation marks: so it is found absent fast. */
export const namesMarked = (text: string, member: `$${string}`): boolean =>
  text.includes(member) && text.includes(`"${member}"`)
