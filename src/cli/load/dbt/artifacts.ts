import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { parseSource, readText, SourceError, type LoadFailure } from '../content.ts'

/* The parts of dbt's artifacts that are read, as https://schemas.getdbt.com describes them (manifest v4 to v12). */

const column = z.object({
  name: z.string(),
  description: z.string().nullish(),
  data_type: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
})

const node = z.object({
  resource_type: z.string(),
  database: z.string().nullish(),
  schema: z.string().nullish(),
  name: z.string(),
  alias: z.string().nullish(),
  identifier: z.string().nullish(),
  description: z.string().nullish(),
  columns: z.record(z.string(), column).default({}),
  tags: z.array(z.string()).nullish(),
  config: z.object({ materialized: z.string().nullish() }).nullish(),
  depends_on: z.object({ nodes: z.array(z.string()).default([]) }).nullish(),
  compiled_code: z.string().nullish(),
  compiled_sql: z.string().nullish(),
  column_name: z.string().nullish(),
  attached_node: z.string().nullish(),
  test_metadata: z
    .object({ name: z.string(), kwargs: z.object({ model: z.string().nullish() }).catchall(z.unknown()).default({}) })
    .nullish(),
})

export const manifestShape = z.object({
  metadata: z.object({
    adapter_type: z.string().nullish(),
    project_name: z.string().nullish(),
    project_id: z.string().nullish(),
    dbt_schema_version: z.string().nullish(),
  }),
  nodes: z.record(z.string(), node),
  sources: z.record(z.string(), node).default({}),
})

const relation = z.object({
  metadata: z
    .object({ database: z.string().nullish(), schema: z.string().nullish(), name: z.string().nullish() })
    .default({}),
  columns: z.record(
    z.string(),
    z.object({ name: z.string(), type: z.string().nullish(), index: z.number(), comment: z.string().nullish() }),
  ),
})

export const catalogShape = z.object({
  nodes: z.record(z.string(), relation),
  sources: z.record(z.string(), relation).default({}),
})

export const resultsShape = z.object({
  metadata: z.object({ generated_at: z.string() }),
  args: z.object({ which: z.string().nullish() }).nullish(),
  results: z.array(
    z.object({
      unique_id: z.string(),
      status: z.string(),
      message: z.string().nullish(),
      timing: z.array(z.object({ completed_at: z.string().nullish() })).default([]),
    }),
  ),
})

export type ProjectNode = z.infer<typeof node>
export type CatalogNode = z.infer<typeof relation>
export type RunResults = z.infer<typeof resultsShape>

/** @throws SourceError where the file is missing or is none of dbt's; `undefined` where it may be missing */
export const readArtifact = async <T>(folder: string, name: string, shape: z.ZodType<T>): Promise<T | undefined> => {
  const path = join(folder, name)
  const text = await readText(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const parsed = shape.safeParse(parseSource(text, path, 'Let dbt write it again.'))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new SourceError(`${path} is not a ${name} of dbt: ${issue?.path.join('.')} ${issue?.message}`)
}

/** The name of the project. Before dbt 1.6, a manifest has only its MD5 hash, and packages in the ids of nodes. */
export const projectOf = ({ metadata, nodes, sources }: z.infer<typeof manifestShape>): string | undefined => {
  const packages = new Set([...Object.keys(nodes), ...Object.keys(sources)].map((id) => id.split('.')[1] ?? ''))
  const hashOf = (name: string): string => createHash('md5').update(name).digest('hex')
  return metadata.project_name ?? [...packages].find((name) => hashOf(name) === metadata.project_id)
}

const [oldest, newest] = [4, 12]

/** A note about a version of the manifest that is not known. @param schema the address of its JSON Schema */
export const versionNotes = (schema: string | null | undefined): LoadFailure[] => {
  const version = Number(/v(\d+)\.json$/.exec(schema ?? '')?.[1] ?? oldest)
  if (version >= oldest && version <= newest) return []
  const message = `it has version ${version}: what is not as in versions ${oldest} to ${newest} is not loaded`
  return [{ fullyQualifiedName: 'manifest.json', message }]
}
