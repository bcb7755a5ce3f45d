import { kinds } from '../../src/kinds/registry/kinds.ts'
import { describeKinds } from './kinds/kindUnderTest.ts'
import { canBeDeleted } from './kinds/living.ts'
import { canBeRead } from './kinds/reading.ts'
import { isFoundByWhatItRefersTo } from './kinds/referring.ts'
import { canBeWritten } from './kinds/writing.ts'

describeKinds(
  kinds.filter((kind) => !kind.traits.dataAsset),
  [canBeWritten, canBeRead, canBeDeleted, isFoundByWhatItRefersTo],
)
