import { stringify } from 'yaml'
import type { Json } from '../model/types.ts'

/** Writes YAML 1.2 that readers of YAML 1.1 take the same way: what they would read as a date or a truth is quoted. */
export const writeYaml = (document: Json): string =>
  stringify(document, {
    version: '1.2',
    schema: 'core',
    compat: 'yaml-1.1',
    lineWidth: 0,
    aliasDuplicateObjects: false,
  })
