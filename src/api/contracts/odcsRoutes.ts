import { z } from 'zod'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { entitySchema } from '../../kinds/request/openApiSchemas.ts'
import { limits } from '../../shared/limits.ts'
import type { KindRoute } from '../deps.ts'
import * as parameters from '../entities/parameters.ts'
import { momentForms } from '../entities/reads/moment.ts'
import { readParameter } from '../http/queryParameters.ts'
import { ok, queryFlag, queryParameter } from '../http/route.ts'
import { targetParameters } from './contractRoutes.ts'
import { exportContract, exportFields } from './exportContract.ts'
import { importContract } from './importContract.ts'
import { compareWithAsset, previewDocument } from './previewDocument.ts'

const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml']

const objectName = queryParameter('objectName', 'The schema object to use if the document has several')

const mode = queryParameter(
  'mode',
  'merge keeps what the document does not have; replace makes the contract what the document says',
  z.enum(['merge', 'replace']).default('merge'),
)

const documentSchema = z.record(z.string(), z.unknown()).meta({ id: 'OdcsDocument' })

/** Import, export, parse and validation of contracts in the Open Data Contract Standard. */
export const odcsRoutes = (definition: KindDefinition): KindRoute[] => [
  ...importRoutes(definition),
  ...exportRoutes(definition),
  ...readingRoutes(definition),
]

/** Paths of documents by their format. */
const below = { json: '/odcs', yaml: '/odcs/yaml' } as const

const documentBody = (contentTypes: readonly string[]) => ({
  contentTypes,
  limit: limits.document.value,
  schema: documentSchema,
  required: true,
  raw: true,
})

const importRoutes = (definition: KindDefinition): KindRoute[] =>
  (['json', 'yaml'] as const).flatMap((type) =>
    (['post', 'put'] as const).map((method): KindRoute => {
      const isPut = method === 'put'
      const schema = entitySchema(definition)
      const created = 'Created; warnings names what could not be mapped'
      const answers = {
        201: { description: created, schema, headers: parameters.createHeaders },
        200: isPut
          ? { description: 'Updated', schema, headers: parameters.writeHeaders }
          : { description: 'With dryRun: a preview of the contract', schema },
      }
      const id = `${isPut ? 'upsert' : 'create'}_contract_from_odcs_${type}`
      return parameters.kindRoute(definition, 'create', `${method} ${below[type]}`, id, {
        summary: `${isPut ? 'Create or update' : 'Create'} a contract from an ODCS document (${type.toUpperCase()})`,
        permission: { operation: 'create', ...(isPut && { or: 'edit' as const }), kind: definition.name },
        parameters: [...targetParameters, objectName, ...(isPut ? [mode] : []), dryRun, ...parameters.preconditions],
        body: documentBody(type === 'yaml' ? yamlTypes : ['application/json']),
        answers,
        handle: (request) =>
          importContract({ ...request, type, method, mode: isPut ? readParameter(request.query, mode) : 'replace' }),
      })
    }),
  )

const dryRun = queryFlag('dryRun', 'Answers what the import would lead to, with 200, and writes nothing')

const exportMoment = queryParameter('asOf', `The document as it was: ${momentForms.position}`)

const exportRoutes = (definition: KindDefinition): KindRoute[] =>
  (['json', 'yaml'] as const).flatMap((contentType) =>
    parameters.entityRoutes(definition, 'view', `get ${below[contentType]}`, `export_contract_as_odcs_${contentType}`, {
      summary: `A contract as an ODCS v3.1.0 document (${contentType.toUpperCase()})`,
      parameters: [exportFields, exportMoment, parameters.ifNoneMatch],
      answers: parameters.validatedAnswers('The document', documentSchema, `application/${contentType}`),
      handle: (request) => exportContract(contentType, request),
    }),
  )

const readingRoutes = (definition: KindDefinition): KindRoute[] => [
  parameters.kindRoute(definition, 'view', 'post /odcs/parse/yaml', 'parse_odcs', {
    summary: 'Preview an ODCS document; nothing is stored',
    body: documentBody([...yamlTypes, 'application/json']),
    answers: ok('What the document holds', previewSchema),
    handle: previewDocument,
  }),
  parameters.kindRoute(definition, 'view', 'post /odcs/validate/yaml', 'validate_odcs', {
    summary: 'Compare an ODCS document with an asset; nothing is stored',
    parameters: [...targetParameters, objectName],
    body: documentBody([...yamlTypes, 'application/json']),
    answers: ok('Which properties the asset has', validationSchema),
    handle: compareWithAsset,
  }),
]

const problemSchema = z.object({
  path: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
  message: z.string(),
})

const previewSchema = z
  .object({
    name: z.string().optional(),
    version: z.string().optional(),
    status: z.string().optional(),
    schemaObjects: z.array(z.string()),
    hasMultipleObjects: z.boolean(),
    apiVersion: z.string().describe('The version of ODCS that the document is read as'),
    problems: z.array(problemSchema),
    warnings: z.array(problemSchema),
  })
  .meta({ id: 'OdcsPreview' })

const validationSchema = z
  .object({
    passed: z.int(),
    failed: z.int(),
    total: z.int(),
    failedFields: z.array(z.string()),
    typeMismatchFields: z.array(z.string()),
  })
  .meta({ id: 'OdcsValidation' })
