import type { Config } from '../composition/settings/config.ts'
import { openLog } from '../composition/engines.ts'
import { personalMembers } from '../kinds/perKind.ts'
import { makePersonalAudit } from '../events/personal/personalAudit.ts'
import { streamName } from '../events/events.ts'
import { kinds } from '../kinds/registry/kinds.ts'
import type { ListKey } from '../projections/entities/port.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { closing } from './command/command.ts'

const pageSize = 1000

async function* subjects({ list }: Pick<ReadModels, 'list'>): AsyncGenerator<string> {
  for (const kind of kinds.filter((each) => personalMembers(each).size > 0))
    for (let after: ListKey | undefined, isLast = false; !isLast;) {
      const query = { kind: kind.name, include: 'all', scopes: [], edges: [], limit: pageSize, after } as const
      const { rows } = await list(query)
      for (const { id } of rows) yield streamName(kind.name, id)
      after = rows.at(-1)
      isLast = after === undefined
    }
}

/** Reads all that says who somebody is, of those who are there. @returns what is wrong with its keys, for people */
export const personalProblems = async (config: Config, readModels: Pick<ReadModels, 'list'>): Promise<string[]> => {
  const findings = makePersonalAudit()
  await closing(openLog(config, { readOnly: true, observer: findings.observer }), async (log) => {
    for await (const stream of subjects(readModels)) for await (const _ of log.readStream(stream));
  })
  return findings.all()
}
