import { invalid } from '../../commands/errors.ts'
import { assetColumns } from '../../kinds/members/assetColumns.ts'
import { readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import type { ContractMembers } from '../../odcs/model/contract.ts'
import type { ContentType, Problem } from '../../odcs/model/types.ts'
import type { OdcsOperations } from '../../odcs/worker.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { KindRequest } from '../deps.ts'
import { jsonAnswer, workRequestOf, type Answer, type ApiRequest } from '../http/route.ts'
import { assetOf, choiceOf } from './importContract.ts'

/** What a document holds, and what is wrong with it and with a contract made of it. */
export const previewDocument = async (request: KindRequest): Promise<Answer> => {
  const args = [request.body as Buffer, typeOf(request)] as const
  const preview = await request.api.odcs.run(workRequestOf(request), 'parsePreview', ...args)
  if (!preview.ok) return answerRead(preview)
  const { contract = {}, ...read } = preview
  const more = await contractProblems(request, contract, read.schemaObjects[0])
  return answerRead({ ...read, problems: [...read.problems, ...more] })
}

/** Which properties of a document an asset has. */
export const compareWithAsset = async (request: KindRequest): Promise<Answer> => {
  const asset = await assetOf(request)
  const { api, body } = request
  const args = [body as Buffer, typeOf(request), choiceOf(request, asset), assetColumns(asset.members)] as const
  return answerRead(await api.odcs.run(workRequestOf(request), 'validateDocument', ...args))
}

/** What is wrong with a contract made of the first object of a document, at its places there. */
const contractProblems = async (
  request: KindRequest,
  contract: ContractMembers,
  objectName: string | undefined,
): Promise<Problem[]> => {
  const { problems } = await readRequestInSlices(request.definition, contract, 'upsert')
  const own = problems.filter(({ path }) => Object.hasOwn(contract, path.split('/')[1] ?? ''))
  const args = [request.body as Buffer, typeOf(request), { objectName }, own] as const
  return own.length === 0 ? [] : request.api.odcs.run(workRequestOf(request), 'placeProblems', ...args)
}

/** @throws DomainError `invalid` with what is wrong with the document */
const answerRead = (read: ReturnType<OdcsOperations['parsePreview' | 'validateDocument']>): Answer => {
  if (!read.ok) throw invalid(read.problems, read.unlisted)
  const { ok: _, ...body } = read
  return jsonAnswer(body as JsonObject)
}

const typeOf = ({ contentType }: ApiRequest): ContentType => (contentType === 'application/json' ? 'json' : 'yaml')
