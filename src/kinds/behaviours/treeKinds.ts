import type { Behaviour, Problem } from '../defineKind.ts'
import { completeTrees, namesInTrees, treesBreak, type Tree } from '../members/fieldTree.ts'
import { readSchemas } from '../members/messageSchema.ts'

/** The behaviour of kinds that hold columns or fields. `schemas`: members whose texts are read first. */
export const treeBehaviour = (
  trees: readonly Tree[],
  schemas: readonly string[] = [],
): Behaviour & Required<Pick<Behaviour, 'derive'>> => ({
  derive: (draft) => {
    const problems: Problem[] = []
    const read = readSchemas(draft.members, draft, schemas, problems)
    return { members: completeTrees(read, trees, draft.fullyQualifiedName, problems), problems }
  },
  breaking: (before, after) => treesBreak(before, after, trees),
  searchFields: (members) => namesInTrees(members, trees),
})
