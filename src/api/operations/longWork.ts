import type { RecordedEvent } from '../../events/events.ts'
import { parseStreamName, streamName } from '../../events/streamName.ts'
import type { Entity } from '../../commands/evolve.ts'
import { descendantKinds } from '../../kinds/index.ts'
import { isUuid } from '../../kinds/names.ts'
import type { Api } from '../deps.ts'

/** Events of an entity that what stands below it follows. */
const operationOf = { SoftDeleted: 'delete', HardDeleted: 'hardDelete', Restored: 'restore' } as const

/** A deletion or a restore: the event that began it. Everything else is read from what the read models show below. */
export type Turn = RecordedEvent & { readonly type: keyof typeof operationOf }

const isTurn = (event: RecordedEvent): event is Turn => Object.hasOwn(operationOf, event.type)

/** What an operation is called: the stream and the revision of its event, so that any process finds it in the log. */
export const operationId = ({ kind, id, revision }: Pick<Entity, 'kind' | 'id' | 'revision'>): string =>
  `${streamName(kind, id)}-${revision}`

/** The event that an operation is called by; `undefined` when there is none. */
export const findOperation = async (api: Pick<Api, 'log' | 'kinds'>, name: string): Promise<Turn | undefined> => {
  const [, stream, revision] = /^([A-Za-z]+-[0-9a-f-]{36})-(\d{1,15})$/.exec(name) ?? []
  if (stream === undefined || revision === undefined) return undefined
  const { kind, id } = parseStreamName(stream)
  if (!isUuid(id) || !api.kinds.some((definition) => definition.name === kind)) return undefined
  for await (const event of api.log.readStream(stream, { from: BigInt(revision), limit: 1 }))
    return isTurn(event) ? event : undefined
  return undefined
}

/** `superseded`: deleted or restored again since, and what was left follows that. */
export type OperationStatus = 'running' | 'completed' | 'superseded'

/** What the read models show of an operation. */
const statusOf = async ({ commands }: Pick<Api, 'commands'>, turn: Turn): Promise<OperationStatus> => {
  const { id } = parseStreamName(turn.stream)
  const entity = (await commands.lookup([id])).get(id)
  if (entity === undefined || entity.revision < turn.revision) return 'running'
  if (entity.since !== turn.position) return 'superseded'
  if ((await commands.tree.contradictions(1, [id])).length > 0) return 'running'
  const { comesBack, isLeftBelow } = commands.tree
  const isBehind = entity.status === 'live' ? comesBack : isLeftBelow
  for (const { name } of descendantKinds(entity.kind)) if (await isBehind(entity, name)) return 'running'
  return 'completed'
}

const below = async ({ commands }: Pick<Api, 'commands'>, turn: Turn) => {
  const { kind, id } = parseStreamName(turn.stream)
  const entity = (await commands.lookup([id])).get(id)
  const kinds = entity === undefined ? [] : descendantKinds(kind)
  const counts = await Promise.all(kinds.map(({ name }) => commands.tree.countBelow(entity as Entity, name)))
  return {
    live: counts.reduce((sum, { live }) => sum + live, 0),
    deleted: counts.reduce((sum, { deleted }) => sum + deleted, 0),
  }
}

/** An operation as clients see it: progress and outcome. */
export const showOperation = async (api: Api, baseUrl: string, turn: Turn) => {
  const { kind, id } = parseStreamName(turn.stream)
  const { fullyQualifiedName, user, time, correlationId } = turn.metadata
  const status = await statusOf(api, turn)
  const name = operationId({ kind, id, revision: turn.revision })
  return {
    id: name,
    operation: operationOf[turn.type],
    status,
    entity: { id, type: kind, fullyQualifiedName },
    below: await below(api, turn),
    user,
    startedAt: time,
    position: String(turn.position),
    correlationId,
    href: `${baseUrl}/v1/operations/${name}`,
  }
}
