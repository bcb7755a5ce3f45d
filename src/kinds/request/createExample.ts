import type { JsonObject } from '../../shared/json.ts'
import type { Field, KindDefinition } from '../defineKind.ts'
import { buildFqn } from '../names.ts'
import { titled } from './openApiSchemas.ts'

type KindNamed = (name: string) => KindDefinition

const exampleName = ({ name }: KindDefinition): string => `example${titled(name)}`

/** Names from the outermost parent down to the example of this kind. */
const exampleNames = (definition: KindDefinition, kindNamed: KindNamed): string[] => {
  const parent = definition.parents.find(({ optional }) => !optional)?.kinds[0]
  return [...(parent === undefined ? [] : exampleNames(kindNamed(parent), kindNamed)), exampleName(definition)]
}

const valueOf = ({ references, schema }: Field, kindNamed: KindNamed): string | undefined => {
  const kind = references?.kinds[0]
  if (kind !== undefined && kind !== '*') return buildFqn(exampleNames(kindNamed(kind), kindNamed))
  const examples = schema.meta()?.['examples']
  return Array.isArray(examples) && typeof examples[0] === 'string' ? examples[0] : undefined
}

/** A create request that can be sent once the examples of the kinds above have been. */
export const createExample = (definition: KindDefinition, kindNamed: KindNamed): JsonObject => {
  const required = Object.entries(definition.fields).flatMap(([member, field]) => {
    const value = field.required ? valueOf(field, kindNamed) : undefined
    return value === undefined ? [] : [[member, value] as const]
  })
  return {
    name: exampleName(definition),
    description: definition.description,
    ...Object.fromEntries(required),
    ...definition.example,
  }
}
