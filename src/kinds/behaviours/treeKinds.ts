import type { Behaviour, Problem } from '../defineKind.ts'
import { completeTrees, namesInTrees, treesBreak, type Tree } from '../members/fieldTree.ts'
import { readSchemas, schemaTexts } from '../members/messageSchema.ts'

/** The behaviour of kinds that hold columns or fields. `schemas`: members whose texts are read first. */
export const treeBehaviour = (
  trees: readonly Tree[],
  schemas: readonly string[] = [],
): Behaviour & Required<Pick<Behaviour, 'derive'>> => ({
  ...(schemas.length > 0 && { schemas: (draft) => schemaTexts(draft, schemas) }),
  derive: (draft, effects) => {
    const problems: Problem[] = []
    const read = readSchemas(draft, schemas, effects, problems)
    return { members: completeTrees(read, trees, draft.fullyQualifiedName, problems), problems }
  },
  breaking: (before, after) => treesBreak(before, after, trees),
  searchFields: {
    part: trees.some(({ at }) => at.at(-1) === 'columns') ? 'columns' : 'fields',
    of: (members) => namesInTrees(members, trees),
  },
})
