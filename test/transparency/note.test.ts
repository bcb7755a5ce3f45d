import { describe, expect, it } from 'vitest'
import { notesIn, openCheckpoint, signCheckpoint } from '../../src/transparency/checkpoint.ts'
import { emptyRoot, leafHash } from '../../src/transparency/merkle.ts'
import {
  NoteError,
  makeSignerKey,
  openNote,
  readSignerKey,
  readVerifierKey,
  signNote,
} from '../../src/transparency/note.ts'

/** The key and the note that Go's package sumdb/note documents. */
const peterKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const peterNote =
  'If you think cryptography is the answer to your problem,\n' +
  "then you don't know what your problem is.\n\n" +
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

const signer = readSignerKey(makeSignerKey('example.com/catalog'))
const verifier = readVerifierKey(signer.text)
const head = { size: 7, root: leafHash(Buffer.from('seven')) }

describe('a signed note', () => {
  it('a signed note that others published is verified', () => {
    const { text, signers } = openNote(peterNote, [readVerifierKey(peterKey)])
    expect(text).toContain('cryptography is the answer')
    expect(signers.map(({ name }) => name)).toEqual(['PeterNeumann'])
  })

  it('a signed note that was changed is refused', () => {
    expect(() => openNote(peterNote.replace('answer', 'problem'), [readVerifierKey(peterKey)])).toThrow(/does not hold/)
  })

  it('a signed note of an unknown key is refused, and the keys are named', () => {
    expect(() => openNote(peterNote, [verifier])).toThrow(`None of the keys given (example.com/catalog+${verifier.id})`)
  })

  it.each(['', 'text', 'text\n\n', 'text\n\nno signature\n', 'text\n\n— name\n'])('is not %j', (text) => {
    expect(() => openNote(text, [verifier])).toThrow(NoteError)
  })
})

describe('a key', () => {
  it.each([
    '',
    'PeterNeumann',
    'PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    'a+c74f20a3+AQ==',
  ])('is not %j', (text) => {
    expect(() => readVerifierKey(text)).toThrow(NoteError)
  })

  it('has a name without white space and plus signs', () => {
    expect(() => makeSignerKey('two words')).toThrow(NoteError)
    expect(() => makeSignerKey('a+b')).toThrow(NoteError)
  })

  it('is not read out of a public one', () => {
    expect(() => readSignerKey(signer.text)).toThrow(NoteError)
  })
})

describe('a checkpoint', () => {
  it('says the tree that was signed', () => {
    expect(openCheckpoint(signCheckpoint(head, signer), [verifier])).toEqual({ ...head, origin: 'example.com/catalog' })
    const empty = { size: 0, root: emptyRoot }
    expect(openCheckpoint(signCheckpoint(empty, signer), [verifier])).toMatchObject(empty)
  })

  it('a checkpoint with another number of events is refused', () => {
    expect(() => openCheckpoint(signCheckpoint(head, signer).replace('\n7\n', '\n8\n'), [verifier])).toThrow(NoteError)
  })

  it('a checkpoint that says another log than its key is refused', () => {
    const note = signNote(`example.com/other\n7\n${head.root.toString('base64')}\n`, signer)
    expect(() => openCheckpoint(note, [verifier])).toThrow('The checkpoint is of the log example.com/other')
  })

  it('is found among others in one file', () => {
    const notes = [1, 2, 3].map((size) => signCheckpoint({ ...head, size }, signer))
    expect(notesIn(notes.join(''))).toEqual(notes)
    expect(notesIn(notes.join('\n').replaceAll('\n', '\r\n'))).toEqual(notes)
    expect(notesIn('')).toEqual([])
  })

  it('is found behind every piece of one that an interrupted write has left', () => {
    const [first, torn, next] = [1, 2, 3].map((size) => signCheckpoint({ ...head, size }, signer)) as [
      string,
      string,
      string,
    ]
    expect(notesIn(`${first}\n\n${next}`)).toEqual([first, next])
    for (let length = 1; length < torn.length - 1; length++) {
      const piece = torn.slice(0, length)
      expect(notesIn(first + piece), piece).toEqual([first])
      expect(notesIn(`${first}${piece}\n\n${next}`), piece).toEqual([first, next])
    }
  })
})
