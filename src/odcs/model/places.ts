import { isList, isObject, type Json, type JsonObject, type Path } from './types.ts'

export const valueAt = (value: Json, path: Path): Json | undefined => {
  let here: Json | undefined = value
  for (const step of path) {
    if (isList(here)) here = here[Number(step)]
    else here = isObject(here) && Object.hasOwn(here, step) ? here[step] : undefined
  }
  return here
}

/** Takes a member, or an item of a list, out of its place. */
export const detach = (document: JsonObject, path: Path): void => {
  const holder = valueAt(document, path.slice(0, -1))
  const last = path.at(-1) ?? ''
  if (isList(holder)) holder.splice(Number(last), 1)
  else if (isObject(holder)) delete holder[last]
}

export const replace = (document: JsonObject, path: Path, value: Json): void => {
  const holder = valueAt(document, path.slice(0, -1))
  const last = path.at(-1) ?? ''
  if (isList(holder)) holder[Number(last)] = value
  else if (isObject(holder)) holder[last] = value
}
