import type { CliCommand } from './command/command.ts'

interface Listed {
  /** What it is for, in a line. */
  readonly summary: string
  /** What it needs is loaded only when it is called. */
  readonly load: () => Promise<CliCommand>
}

export const commands: Readonly<Record<string, Listed>> = {
  serve: {
    summary: 'Start the service',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  status: {
    summary: 'Show whether the stores respond and how far the read models lag',
    load: async () => (await import('./status.ts')).status,
  },
  token: {
    summary: 'Print a token: --user NAME [--role ROLE,…] [--days N]; for programs: --name NAME, --list, --revoke NAME',
    load: async () => (await import('./token/token.ts')).token,
  },
  rebuild: {
    summary: 'Rebuild the read models from the log (embedded ones while the service is stopped)',
    load: async () => (await import('./verifyReadModels.ts')).rebuild,
  },
  verify: {
    summary: 'Compare the read models with a fresh replay of the log',
    load: async () => (await import('./verifyReadModels.ts')).verifyReadModels,
  },
  replay: {
    summary: 'Write events as NDJSON: all, or those of an entity, a kind, a user or a period',
    load: async () => (await import('./replay.ts')).replayCommand,
  },
  'audit verify': {
    summary: 'Check that no event was changed, removed, inserted, reordered or given the id of another',
    load: async () => (await import('./audit/verify.ts')).verify,
  },
  'audit watch': {
    summary: 'Be a witness: store the checkpoints of a log, and report one that does not continue the previous one',
    load: async () => (await import('./audit/watch.ts')).watch,
  },
  'audit export': {
    summary: 'Write an archive of events with proofs, a report, and scripts that verify them without the catalog',
    load: async () => (await import('./audit/evidence/export.ts')).exportEvidence,
  },
  'audit rotate': {
    summary: 'Create a new key for checkpoints, signed by the present one as its successor',
    load: async () => (await import('./audit/rotate.ts')).rotate,
  },
  backup: {
    summary: 'Copy the log and the keys to FOLDER while the service runs: backup FOLDER [--keep N]',
    load: async () => (await import('./disk/backup.ts')).backup,
  },
  restore: {
    summary: 'Restore a backup to an empty data folder: restore FOLDER',
    load: async () => (await import('./disk/backup.ts')).restoreBackup,
  },
  copy: {
    summary: 'Copy a catalog between engines or folders: copy --from FOLDER|URL --to FOLDER|URL',
    load: async () => (await import('./copy.ts')).copy,
  },
  compact: {
    summary: 'Shrink the files of the embedded stores',
    load: async () => (await import('./disk/compact.ts')).compact,
  },
  'contract check': {
    summary: 'Check a data contract before it is merged: contract check FILE [--against URL|FILE]',
    load: async () => (await import('./contractCommand.ts')).contractCheck,
  },
  load: {
    summary: 'Load tables into a running service from dbt, PostgreSQL, CSV or OpenLineage, and contracts from a folder',
    load: async () => (await import('./loadCommand.ts')).loadCommand,
  },
  'load undo': {
    summary: 'Undo what a load, or another request, has changed: load undo REQUEST',
    load: async () => (await import('./loadCommand.ts')).undoCommand,
  },
  mcp: {
    summary: 'Let an agent read the catalog: the Model Context Protocol on standard input and output',
    load: async () => (await import('./mcpCommand.ts')).mcpCommand,
  },
  seed: {
    summary: 'Load the demo company into a running service: [--url URL] [--token TOKEN]',
    load: async () => (await import('./seedCommand.ts')).seed,
  },
}
