import type { JsonObject } from '../../shared/json.ts'
import data from './testDefinitions.json' with { type: 'json' }

/** Parameters as the data has them: name, data type, description, whether it is required. */
type Parameter = readonly [name: string, dataType: string, description: string, required?: boolean]

const groups: Readonly<Record<string, string>> = data.dataTypes

/** Data types, and groups of them by name. */
const dataTypesIn = (text: string): string[] => text.split(' ').flatMap((word) => groups[word]?.split(' ') ?? [word])

/** Test definitions that a catalog starts with: names and parameters are those that test runners know. */
export const testDefinitions: readonly JsonObject[] = data.definitions.map(
  ({ parameters, supportedDataTypes: types, ...definition }) => ({
    ...definition,
    testPlatforms: ['OpenMetadata'],
    parameterDefinition: (parameters as unknown[] as Parameter[]).map(
      ([name, dataType, description, required = false]) => ({ name, dataType, description, required }),
    ),
    ...(types !== undefined && { supportedDataTypes: dataTypesIn(types) }),
  }),
)
