import { z } from 'zod'
import type { JsonObject } from '../shared/json.ts'

/** A reference in events. The FQN never changes; anything else is looked up when it is read. */
export type Reference = {
  readonly id: string
  readonly type: string
  readonly fullyQualifiedName: string
  /** The incarnation: revision of its Created event; absent for the first. A later one is another entity. */
  readonly life?: number
}

/** Values of an entity's members by name, as its kind defines them. References in them are {@link Reference}s. */
export type Members = JsonObject

export const reference: z.ZodType<Reference> = z
  .strictObject({
    id: z.uuid().describe('Id of the entity'),
    type: z.string().describe('Its kind'),
    fullyQualifiedName: z.string(),
    life: z
      .int()
      .exactOptional()
      .describe('Revision at which the life that is meant began; absent: the first life of its name'),
  })
  .meta({ id: 'Reference', description: 'An entity that the event refers to' })

const members: z.ZodType<Members> = z
  .record(z.string(), z.json())
  .describe('Values by member name, as the kind defines them; references as {id, type, fullyQualifiedName}')

const deletion = z.strictObject({
  deletion: z.uuid().describe('Shared by everything that one request deleted'),
  inherited: z.literal(true).exactOptional().describe('Inherited: it happened because it happened to the parent'),
})
const assets = z.strictObject({ assets: z.array(reference).min(1) })
const ports = z.strictObject({ direction: z.enum(['input', 'output']), ports: z.array(reference).min(1) })

export interface EventSummary {
  /** One sentence about the event, without the names of entity and user. */
  readonly summary: string
  /** Names of changed members; for a new entity the members that affect access. */
  readonly changed: readonly string[]
  /** FQN of the user who follows or unfollows. */
  readonly follower?: string
  /** The user's new vote. */
  readonly vote?: Vote
}

interface Verb<S extends z.ZodType> {
  /** Schema of the event data in the log; consumers get it with secrets masked. */
  readonly schema: S
  /** Whether it makes a new version of the entity. Votes, follows and validations do not. */
  readonly makesVersion: boolean
  readonly summarize: (data: z.output<S>) => EventSummary
}

const verb = <S extends z.ZodType>(schema: S, summarize: Verb<S>['summarize'], makesVersion = true): Verb<S> => ({
  schema,
  summarize,
  makesVersion,
})

/** `a`, `a and b`, `a, b and 3 more`. */
export const enumerate = (names: readonly string[]): string => {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

const columnsMade = z.array(
  z.strictObject({
    from: z.array(z.string()).min(1).describe('Names of columns or fields upstream'),
    to: z.string().describe('Name of the column or field that is made of them'),
    function: z.string().exactOptional(),
  }),
)

/** An upstream edge stated by a source. Its reference may be to an entity that does not exist yet. */
const lineageEdge = z
  .strictObject({
    from: reference.describe('The upstream entity'),
    description: z.string().exactOptional(),
    sql: z.string().exactOptional().describe('The statement that moves the data'),
    pipeline: reference.exactOptional(),
    query: reference.exactOptional(),
    time: z.iso.datetime({ offset: true }).exactOptional().describe('When, as an event of a job without a run says'),
    columns: columnsMade.exactOptional(),
  })
  .meta({ id: 'LineageEdge', description: 'One upstream of an entity, and how the data comes from there' })

export type LineageEdge = z.output<typeof lineageEdge>

const dataset = z
  .strictObject({ namespace: z.string(), name: z.string(), version: z.string().exactOptional() })
  .meta({ id: 'RunDataset', description: 'What a run reads or writes, as its integration names it' })

const datasetName = dataset.omit({ version: true })

/** What an event of a run tells of how its outputs are made. */
const runDetails = z
  .strictObject({
    id: z.string().describe('Of what it says: without the rest, an earlier event of the pipeline has it'),
    sql: z.string().exactOptional(),
    columns: z.array(z.strictObject({ output: datasetName, input: datasetName, columns: columnsMade })).exactOptional(),
  })
  .meta({
    id: 'RunDetails',
    description: 'SQL of a run, and the columns of its outputs that are made of those of inputs',
  })

const fqns = (references: readonly Reference[]): string =>
  enumerate(references.map(({ fullyQualifiedName }) => fullyQualifiedName))

const keyName = (key: string): string => key.split('+').slice(0, 2).join('+')

export const voteTypes = ['votedUp', 'votedDown', 'unVoted'] as const

export type Vote = (typeof voteTypes)[number]

/** Members that affect who may view or change an entity. */
const accessMembers = ['domains', 'owners'] as const

/** The member with the ports of a direction. */
export const portsMember = { input: 'inputPorts', output: 'outputPorts' } as const

const votes: Record<Vote, string> = {
  votedUp: 'Voted up.',
  votedDown: 'Voted down.',
  unVoted: 'Withdrew the vote.',
}

const followerSummary = ({ fullyQualifiedName }: Reference, says: string): EventSummary => ({
  summary: `${fullyQualifiedName} ${says}.`,
  changed: ['followers'],
  follower: fullyQualifiedName,
})

const statusSummary =
  (says: string) =>
  ({ inherited }: z.output<typeof deletion>): EventSummary => ({
    summary: inherited ? `${says} with its parent.` : `${says}.`,
    changed: ['deleted'],
  })

/** All verbs. Their effect on the state is in `evolve`, their decision in `decide`. */
export const verbs = {
  Created: verb(
    z
      .strictObject({ name: z.string(), parent: reference.exactOptional(), members })
      .describe('Begins a life of the entity, with every value that it has'),
    ({ members: begun }) => ({
      summary: 'Created.',
      changed: accessMembers.filter((name) => begun[name] !== undefined),
    }),
  ),
  Updated: verb(
    z
      .strictObject({ set: members, unset: z.array(z.string()).describe('Names of the members that were cleared') })
      .describe('Members that changed, each with its new value whole'),
    ({ set, unset }) => {
      const names = Object.keys(set)
      const said = [
        ...(names.length > 0 ? [`changed ${enumerate(names)}`] : []),
        ...(unset.length > 0 ? [`cleared ${enumerate(unset)}`] : []),
      ].join('; ')
      return { summary: `${said.charAt(0).toUpperCase()}${said.slice(1)}.`, changed: [...names, ...unset] }
    },
  ),
  SoftDeleted: verb(
    deletion
      .extend({
        sparing: z
          .array(z.string())
          .min(1)
          .exactOptional()
          .describe(
            'Kinds of which the deletion takes nothing along: it was not asked to, or whoever asked may not ' +
              'delete them',
          ),
      })
      .describe('The entity is hidden until it is restored'),
    statusSummary('Deleted'),
  ),
  Restored: verb(deletion.describe('Undoes that deletion'), statusSummary('Restored')),
  HardDeleted: verb(
    deletion.describe('Ends the life of the entity; a later Created begins the next'),
    statusSummary('Hard-deleted'),
  ),
  Voted: verb(
    z.strictObject({ user: reference, vote: z.enum(voteTypes) }).describe('The vote that the user has now'),
    ({ vote }) => ({ summary: votes[vote], changed: ['votes'], vote }),
    false,
  ),
  FollowerAdded: verb(
    z.strictObject({ user: reference }).describe('The user follows the entity'),
    ({ user }) => followerSummary(user, 'follows it'),
    false,
  ),
  FollowerRemoved: verb(
    z.strictObject({ user: reference }).describe('The user no longer follows the entity'),
    ({ user }) => followerSummary(user, 'no longer follows it'),
    false,
  ),
  AssetsAdded: verb(assets.describe('Assets that it has from now on'), (data) => ({
    summary: `Added ${fqns(data.assets)} to its assets.`,
    changed: ['assets'],
  })),
  AssetsRemoved: verb(assets.describe('Assets that it no longer has'), (data) => ({
    summary: `Removed ${fqns(data.assets)} from its assets.`,
    changed: ['assets'],
  })),
  PortsAdded: verb(ports.describe('Ports that it has from now on'), (data) => ({
    summary: `Added ${fqns(data.ports)} to its ${data.direction} ports.`,
    changed: [portsMember[data.direction]],
  })),
  PortsRemoved: verb(ports.describe('Ports that it no longer has'), (data) => ({
    summary: `Removed ${fqns(data.ports)} from its ${data.direction} ports.`,
    changed: [portsMember[data.direction]],
  })),
  Validated: verb(
    z
      .strictObject({
        result: z.record(z.string(), z.json()),
        run: z
          .enum(['newest', 'late'])
          .exactOptional()
          .describe('It is the result of a run, of which many are kept; late: a newer one was there'),
        incident: z
          .record(z.string(), z.json())
          .exactOptional()
          .describe('The incident as it is from then on, where the result opens or resolves it'),
        late: z.literal(true).exactOptional().describe('The comparison ended before the newest one, which stays'),
      })
      .describe('How a comparison of the contract with its asset went, or a run of the test'),
    ({ result, run, incident, late }) => {
      const status = typeof result['status'] === 'string' ? result['status'] : 'done'
      const said = incident === undefined ? '' : ` Incident: ${String(incident['status']).toLowerCase()}.`
      return {
        summary: `${run === undefined ? 'Compared with its asset' : 'Run'}${late ? ' earlier' : ''}: ${status}.${said}`,
        changed: [
          ...(late ? [] : run === 'late' ? ['results'] : ['latestResult']),
          ...(incident === undefined ? [] : ['incident']),
        ],
      }
    },
    false,
  ),
  Confirmed: verb(
    z
      .strictObject({
        user: reference,
        confirmBy: z.iso.date().exactOptional().describe('The day by which it is to be confirmed again'),
      })
      .describe('The user says that the entity is right as it stands'),
    ({ confirmBy }) => ({
      summary: confirmBy === undefined ? 'Confirmed.' : `Confirmed, until ${confirmBy}.`,
      changed: ['confirmed', 'confirmBy', 'due'],
    }),
    false,
  ),
  FellDue: verb(
    z
      .strictObject({ confirmBy: z.iso.date().describe('The last day to confirm it') })
      .describe('Nobody has confirmed the entity in time; recorded by the catalog itself'),
    ({ confirmBy }) => ({ summary: `Was not confirmed by ${confirmBy}.`, changed: ['due'] }),
    false,
  ),
  LineageStated: verb(
    z
      .strictObject({
        entity: reference.describe('The asset whose upstreams these are'),
        source: z.string().describe('Who says so: manual, dbt, openlineage:<namespace>/<job>'),
        edges: z.array(lineageEdge).describe('Upstreams that are new, or have other details than before'),
        ended: z.array(reference).describe('Upstreams that are none any more'),
      })
      .describe('What changes about where the data of an asset comes from, according to one source'),
    ({ source, edges, ended }) => {
      const said = [
        ...(edges.length > 0 ? [`states ${fqns(edges.map(({ from }) => from))} upstream`] : []),
        ...(ended.length > 0 ? [`ends ${fqns(ended)}`] : []),
      ]
      return { summary: `${source} ${said.join('; ')}.`, changed: ['upstream'] }
    },
  ),
  RunReported: verb(
    z
      .strictObject({
        run: z.string().describe('Id of the run'),
        state: z.string().describe('START, RUNNING, COMPLETE, ABORT, FAIL or OTHER'),
        time: z.iso.datetime({ offset: true }).describe('When, as the integration says'),
        inputs: z.array(dataset),
        outputs: z.array(dataset),
        parent: z
          .strictObject({ run: z.string(), pipeline: z.string().describe('Fully qualified name') })
          .exactOptional()
          .describe('What started the run'),
        details: runDetails.exactOptional(),
      })
      .describe('How a run of the pipeline goes'),
    ({ run, state }) => ({ summary: `Run ${run}: ${state}.`, changed: ['runs'] }),
    false,
  ),
  Forgotten: verb(
    z
      .strictObject({
        members: z.array(z.string()).describe('Names of the personal members whose values are erased'),
        keys: z.array(z.uuid()).describe('The keys that were destroyed for it'),
      })
      .describe('What says who somebody is was erased: what events before have of it cannot be read any more'),
    ({ members: names }) => ({
      summary:
        names.length > 0 ? `Erased ${enumerate(names)}, now and in the past.` : 'Erased who had the name before.',
      changed: names,
    }),
  ),
  KeyChanged: verb(
    z
      .strictObject({
        former: z.string().describe('Public key that checkpoints were signed with'),
        key: z.string().describe('Public key that they are signed with from now on'),
        note: z.string().describe('What the former key signed: that the new one takes over'),
      })
      .describe('Another key signs the checkpoints of the log; recorded as an event of the user `system`'),
    ({ former, key }) => ({
      summary: `Let the key ${keyName(key)} sign the checkpoints of the log instead of ${keyName(former)}.`,
      changed: [],
    }),
    false,
  ),
  PoliciesChanged: verb(
    z
      .strictObject({
        digest: z
          .string()
          .exactOptional()
          .describe('SHA-256 of the file, in hex; absent: no file, the roles it comes with'),
      })
      .describe('Other policies are in force since this start; recorded as an event of the user `system`'),
    ({ digest }) => ({
      summary: digest === undefined ? 'Went back to the policies that it comes with.' : `Took over policies ${digest}.`,
      changed: [],
    }),
    false,
  ),
}

export type EventType = keyof typeof verbs

export const eventTypes = Object.keys(verbs) as EventType[]

export type CatalogEvent = {
  [T in EventType]: { readonly type: T; readonly data: z.output<(typeof verbs)[T]['schema']> }
}[EventType]

/**
 * Whether an event is somebody's work on an entity: all but votes, follows, soft deletions, comparisons of contracts with
 * their assets, and what follows from an event above.
 */
export const isWork = ({ type, data }: CatalogEvent): boolean => {
  if (type === 'SoftDeleted' || 'inherited' in data) return false
  return verbs[type].makesVersion || type === 'Confirmed' || 'run' in data
}

export const summarizeEvent = (event: CatalogEvent): EventSummary =>
  (verbs[event.type].summarize as (data: unknown) => EventSummary)(event.data)
