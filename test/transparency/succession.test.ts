import { expect, test } from 'vitest'
import { auditKeysText, readAuditKeys } from '../../src/composition/keys/auditKeys.ts'
import { makeSignerKey, readSignerKey, signNote } from '../../src/transparency/note.ts'
import { followSuccessions, openSuccession, signSuccession } from '../../src/transparency/succession.ts'

const newKey = () => readSignerKey(makeSignerKey('catalog.example.com'))
const [one, two, three, stranger] = [newKey(), newKey(), newKey(), newKey()]
const notes = [signSuccession(two, one), signSuccession(three, two)]
const texts = (keys: readonly { text: string }[]): string[] => keys.map(({ text }) => text)

test('a key is believed that a known one signed as its successor, and so on', () => {
  expect(openSuccession(notes[0] as string, [one])).toMatchObject({
    former: { text: one.text },
    key: { text: two.text },
  })
  expect(texts(followSuccessions([one], notes))).toEqual(texts([one, two, three]))
  expect(texts(followSuccessions([one], notes.toReversed()))).toEqual(texts([one, two, three]))
  expect(texts(followSuccessions([two], notes))).toEqual(texts([two, three]))
})

test('what a stranger signed, or what says something else, makes no key known', () => {
  expect(texts(followSuccessions([one], [signSuccession(stranger, stranger)]))).toEqual([one.text])
  expect(texts(followSuccessions([one], [(notes[0] as string).replace(two.text, stranger.text)]))).toEqual([one.text])
  const checkpoint = signNote(`${one.name}\n5\n${Buffer.alloc(32).toString('base64')}\n`, one)
  const titled = signNote(`${one.name} rotation\nkey ${stranger.text}\n`, one)
  for (const note of [checkpoint, titled])
    expect(() => openSuccession(note, [one])).toThrow('The note is not a succession')
})

test('a key file keeps former keys and how they were followed', () => {
  const keys = { signer: three, keys: [three, two, one], successions: notes }
  const read = readAuditKeys(auditKeysText(keys))
  expect([read.signer.text, texts(read.keys), read.successions]).toEqual([three.text, texts(keys.keys), notes])
  expect(auditKeysText(read)).toBe(auditKeysText(keys))
  const forged = auditKeysText({ ...keys, successions: [signSuccession(three, stranger)] })
  expect(() => readAuditKeys(forged)).toThrow('None of the keys given')
})
