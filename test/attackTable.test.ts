import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

const [attacks, damaged, forget, verify, cosigning, unknownSigner, audit, collections] = [
  'test/e2e/attacks.test.ts',
  'test/e2e/damagedLog.test.ts',
  'test/e2e/forget.test.ts',
  'test/cli/verify.test.ts',
  'test/e2e/cosigning.test.ts',
  'test/api/audit/checkpoint.test.ts',
  'test/cli/audit.test.ts',
  'test/external/verify.test.ts',
] as const

/** The tests of each attack in the table of docs/auditing.md, by file and title. */
const tests: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>> = {
  'an event is changed': [
    [audit, 'names an event whose data or metadata was changed'],
    [damaged, 'is named event by event, and what is damaged is given to nobody, while everything else goes on'],
    [damaged, 'is in no history, no past and no evidence: each ends there, and names it'],
    [damaged, 'stops a webhook there, whose status names it, and goes on when a backup is in place'],
  ],
  'an event says the same in another text: a member twice, digits that no number has, white space': [
    [damaged, 'is named event by event, and what is damaged is given to nobody, while everything else goes on'],
  ],
  'an event is changed, and its hash with it': [
    [audit, 'names an event that was changed and hashed anew, when another follows it'],
    [attacks, 'an attack that changes the last event of a stream with its hash shows in the tree'],
  ],
  'an event is removed': [[audit, 'names what was removed, by stream and by position']],
  'the end is cut off': [
    [attacks, 'an attack that cuts off the end shows in the tree, and against a checkpoint'],
    [audit, 'needs no settings, tells what it finds and exits with 1 on any'],
  ],
  'a stream is inserted between others': [
    [attacks, 'an attack that inserts a stream of its own in between shows in the tree, and against a checkpoint'],
  ],
  'two events of different streams are swapped': [
    [attacks, 'an attack that swaps two events of different streams shows in the tree, and against a checkpoint'],
  ],
  'a time is set back': [
    [attacks, 'an attack that sets a time back is found by the order of times'],
    [audit, 'names an event that is earlier than the one before it: in its stream, or, of one writer, in the log'],
  ],
  'a stream is rewritten with all its hashes': [
    [attacks, 'an attack that rewrites a stream with all its hashes is named by the tree, which the checkpoint proves'],
  ],
  'the same, and the read models with the tree are built again': [
    [attacks, 'an attack that rewrites a stream and builds the read models again is found by the checkpoint alone'],
    [attacks, 'is narrowed down by several checkpoints'],
  ],
  'the whole log is rewritten, without the key': [
    [attacks, 'an attack that rewrites the whole log cannot sign it without the key'],
  ],
  'the whole log is rewritten and signed with the key': [
    [attacks, 'an attack that rewrites the whole log with the key is found by the checkpoint that somebody kept'],
    [attacks, 'an attack that rewrites the whole log with the key sets off the alarm of a witness that watches'],
  ],
  'an old backup is put in its place': [
    [attacks, 'an attack that puts an old backup in its place is found by the checkpoint that somebody kept'],
  ],
  'the same, and the service is started on it': [
    [attacks, 'an old backup is not signed with the key of the newer log until a person says so, which is an event'],
  ],
  'two histories were signed': [
    [attacks, 'a witness’s file that is not one history is named by status, whatever its newest checkpoint is'],
    [attacks, 'two checkpoints of one size that differ are named for what they are'],
  ],
  'the key file is replaced': [
    [attacks, 'an attack that replaces the key sets off the alarm of a witness that watches'],
    [attacks, 'an attack that rewrites the whole log cannot sign it without the key'],
    [unknownSigner, 'a key file that took the place of another signs nothing until the former key is known'],
  ],
  'an event is appended that nobody sent, well formed': [],
  'read models are changed, the log is not: any value of any table or collection': [
    [verify, 'finds a change of any column of any table of the read models'],
    [verify, 'finds what is changed at any place of the index of words, also where beginnings of words stand'],
    [collections, 'finds a change of any value of any collection, and names the projection'],
    [attacks, 'is told of before anybody is advised to build the read models again'],
  ],
  'a tile of the tree is changed': [
    [attacks, 'a change of an inner tile is found by catalog verify, and nothing false is signed'],
  ],
  'a key of personal values is damaged or removed': [
    [forget, 'that is damaged, cut or missing is named, and stops neither a start nor a rebuild'],
  ],
  'a former `personal.db` is put back, to read who was forgotten': [
    [forget, 'that was put back after its end is destroyed again by the next start'],
  ],
  'witnesses are shown another history': [
    [cosigning, 'a witness that saw another history refuses for ever, and is named'],
    [cosigning, 'a quorum of witnesses is checked, offline too'],
  ],
}

const page = readFileSync(join(root, 'docs/auditing.md'), 'utf8')
const table = page.slice(page.indexOf('| Attack on the file of the log |')).split('\n\n')[0] ?? ''
const rows = table
  .split('\n')
  .slice(2)
  .map((line) => line.split(' | ')[0]?.replace(/^\| /, '') ?? '')

test('the table of attacks has the attacks that are tested, and no other', () => {
  expect(rows).toEqual(Object.keys(tests))
})

test.each(rows)('%s: there are tests of it', (row) => {
  for (const [file, title] of tests[row] ?? []) expect(readFileSync(join(root, file), 'utf8')).toContain(`'${title}'`)
  if (row !== 'an event is appended that nobody sent, well formed') expect(tests[row]).not.toEqual([])
})
