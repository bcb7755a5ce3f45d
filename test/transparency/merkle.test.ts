import fc from '../support/fastCheck.ts'
import { describe, expect, it, test } from 'vitest'
import {
  checkConsistency,
  consistencyRanges,
  emptyRoot,
  inclusionRanges,
  leafHash,
  ProofMismatch,
  type Range,
} from '../../src/transparency/merkle.ts'
import {
  addLeaves,
  edgeFrom,
  edgePlaces,
  rootsFrom,
  tileKey,
  tilesFor,
  type Tile,
} from '../../src/transparency/tiles.ts'
import { checkInclusion, naiveRoot } from './naive.ts'

/** As many as the largest tree has. */
const leaves = Array.from({ length: 8 * 600 }, (_, index) => leafHash(Buffer.from(`${index}`)))
const leavesOf = (count: number): Buffer[] => leaves.slice(0, count)

/** All tiles after the leaves were added in batches of these sizes. */
const built = (batches: readonly number[]): { tiles: Map<string, Tile>; size: number } => {
  const tiles = new Map<string, Tile>()
  let size = 0
  for (const batch of batches) {
    const { changed } = addLeaves(edgeFrom(tiles, size), leaves.slice(size, size + batch))
    for (const tile of changed) tiles.set(tileKey(tile), tile)
    size += batch
  }
  return { tiles, size }
}

const proofIn = (tiles: ReadonlyMap<string, Tile>, ranges: readonly Range[]): Buffer[] => {
  const needed = new Map(
    tilesFor(ranges).flatMap((place) => {
      const tile = tiles.get(tileKey(place))
      return tile === undefined ? [] : [[tileKey(place), tile] as const]
    }),
  )
  return rootsFrom(needed, ranges)
}

const rootIn = (tiles: ReadonlyMap<string, Tile>, size: number): Buffer =>
  proofIn(tiles, [{ from: 0, to: size }])[0] as Buffer

describe('the published vectors of certificate transparency', () => {
  const entries = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
  const roots = [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ]
  const { changed } = addLeaves(
    [],
    entries.map((entry) => leafHash(Buffer.from(entry, 'hex'))),
  )
  const tiles = new Map(changed.map((tile) => [tileKey(tile), tile]))

  it('have the roots that they should', () => {
    expect(roots.map((_, index) => rootIn(tiles, index + 1).toString('hex'))).toEqual(roots)
    expect(emptyRoot.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('have the proof of consistency that they should', () => {
    expect(proofIn(tiles, consistencyRanges(6, 8)).map((each) => each.toString('hex'))).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ])
  })

  it('have the proof of inclusion that they should', () => {
    expect(proofIn(tiles, inclusionRanges(5, 8)).map((each) => each.toString('hex'))).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ])
  })
})

const batches = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 200, max: 600 })), { maxLength: 8 })

describe('a tree in tiles', () => {
  test('has the root of the definition at every size, however its leaves came', () => {
    fc.assert(
      fc.property(batches, fc.nat(), (sizes, at) => {
        const { tiles, size } = built(sizes)
        const old = size === 0 ? 0 : at % (size + 1)
        expect(rootIn(tiles, size)).toEqual(naiveRoot(leavesOf(size)))
        expect(rootIn(tiles, old)).toEqual(naiveRoot(leavesOf(old)))
      }),
      { numRuns: 60 },
    )
  })

  test('proves every leaf, and nothing else', () => {
    fc.assert(
      fc.property(batches, fc.nat(), fc.nat(), (sizes, one, other) => {
        const { tiles, size } = built(sizes)
        fc.pre(size > 1)
        const [leaf, wrong] = [one % size, other % size]
        const proof = proofIn(tiles, inclusionRanges(leaf, size))
        const hashes = leavesOf(size)
        const claim = { leaf, size, hash: hashes[leaf] as Buffer, root: rootIn(tiles, size) }
        checkInclusion(claim, proof)
        if (wrong !== leaf) {
          expect(() => checkInclusion({ ...claim, hash: hashes[wrong] as Buffer }, proof)).toThrow(ProofMismatch)
          expect(() => checkInclusion({ ...claim, leaf: wrong }, proof)).toThrow(ProofMismatch)
        }
        expect(() => checkInclusion(claim, [...proof, emptyRoot])).toThrow(ProofMismatch)
        expect(() => checkInclusion(claim, proof.slice(1))).toThrow(ProofMismatch)
      }),
      { numRuns: 60 },
    )
  })

  test('proves that it begins with what it was, and with nothing else', () => {
    fc.assert(
      fc.property(batches, fc.nat(), (sizes, at) => {
        const { tiles, size } = built(sizes)
        fc.pre(size > 0)
        const first = at % (size + 1)
        const proof = proofIn(tiles, consistencyRanges(first, size))
        const [old, now] = [
          { size: first, root: rootIn(tiles, first) },
          { size, root: rootIn(tiles, size) },
        ]
        checkConsistency(old, now, proof)
        expect(() => checkConsistency({ ...old, root: leafHash(Buffer.from('other')) }, now, proof)).toThrow(
          ProofMismatch,
        )
        // Every log begins with the empty one.
        if (first > 0)
          expect(() => checkConsistency(old, { ...now, root: leafHash(Buffer.from('other')) }, proof)).toThrow(
            ProofMismatch,
          )
        if (proof.length > 0) expect(() => checkConsistency(old, now, proof.slice(1))).toThrow(ProofMismatch)
      }),
      { numRuns: 60 },
    )
  })

  it('needs as many tiles for a proof as it is high', () => {
    const million = 1_000_000
    expect(tilesFor(inclusionRanges(123_456, million)).length).toBeLessThanOrEqual(6)
    expect(tilesFor(consistencyRanges(654_321, million)).length).toBeLessThanOrEqual(6)
    expect(edgePlaces(million)).toEqual([
      { level: 0, number: 3906 },
      { level: 1, number: 15 },
      { level: 2, number: 0 },
    ])
  })
})
