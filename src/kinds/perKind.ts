import type { KindDefinition } from './defineKind.ts'

/** What follows from the definition of a kind alone, made once for each. */
export const perKind = <T>(make: (definition: KindDefinition) => T): ((definition: KindDefinition) => T) => {
  const made = new WeakMap<KindDefinition, T>()
  return (definition) => {
    let known = made.get(definition)
    if (known === undefined) made.set(definition, (known = make(definition)))
    return known
  }
}
