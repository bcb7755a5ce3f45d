import { tileWidth } from './tiles.ts'

export interface TileAt {
  readonly number: number
  /** From 1 to 256. */
  readonly width: number
}

/** Reads a tile's place as C2SP tlog-tiles writes it, e.g. `x001/234.p/5`; `undefined` when it is none. */
export const readTilePath = (text: string): TileAt | undefined => {
  const [, digits, , width] = /^((x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(text) ?? []
  if (digits === undefined || digits.startsWith('x000/')) return undefined
  if (width !== undefined && Number(width) >= tileWidth) return undefined
  return { number: Number(digits.replace(/[x/]/g, '')), width: width === undefined ? tileWidth : Number(width) }
}
