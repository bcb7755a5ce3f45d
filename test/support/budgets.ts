import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { circles, exportedTwice, foreignWords, lines, mutualFolders } from './sources.ts'

/** What src may have and shall lose. `npm run weigh` takes out what is gone; nothing is ever added. */
export interface Budgets {
  readonly lines: number
  /** Files that import each other in a circle. */
  readonly circles: readonly (readonly string[])[]
  /** Folders that import each other. */
  readonly mutualFolders: readonly string[]
  /** Names that so many files export. */
  readonly exportedTwice: Readonly<Record<string, number>>
  /** Words in names of exported types that are neither in the glossary nor in the API nor in the dictionary. */
  readonly foreignWords: readonly string[]
  /** What one request enters on the main thread, by request. */
  readonly walk: Readonly<Record<string, { readonly files: number; readonly functions: number }>>
}

export const budgetsFile: string = join(import.meta.dirname, '../budgets.json')

export const budgets = JSON.parse(readFileSync(budgetsFile, 'utf8')) as Budgets

/** What src has today. */
export const weigh = (): Omit<Budgets, 'walk'> => ({
  lines: lines(),
  circles: circles(),
  mutualFolders: mutualFolders(),
  exportedTwice: exportedTwice(),
  foreignWords: foreignWords(),
})
