/**
 * What src weighs: `npm run weigh` tells it and takes out of `test/budgets.json` what is gone; with `--lines` it lowers the
 * ceiling of lines as well. It never raises a budget.
 */
import { writeFileSync } from 'node:fs'
import { budgets, budgetsFile, weigh, type Budgets } from '../test/support/budgets.ts'

const now = weigh()
const kept = <T>(allowed: readonly T[], there: readonly T[]): T[] => allowed.filter((each) => there.includes(each))
const inCircles = new Set(now.circles.flat())

const lowered: Budgets = {
  lines: process.argv.includes('--lines') ? Math.min(budgets.lines, now.lines) : budgets.lines,
  circles: budgets.circles.map((circle) => kept(circle, [...inCircles])).filter((circle) => circle.length > 1),
  mutualFolders: kept(budgets.mutualFolders, now.mutualFolders),
  exportedTwice: Object.fromEntries(
    Object.entries(budgets.exportedTwice)
      .map(([name, count]): [string, number] => [name, Math.min(count, now.exportedTwice[name] ?? 0)])
      .filter(([, count]) => count > 0),
  ),
  foreignWords: kept(budgets.foreignWords, now.foreignWords),
  walk: budgets.walk,
}

writeFileSync(budgetsFile, `${JSON.stringify(lowered, null, 2)}\n`)
process.stdout.write(
  `${now.lines} lines of at most ${budgets.lines}, ${now.circles.length} circles of imports, ` +
    `${now.mutualFolders.length} pairs of folders that import each other, ` +
    `${Object.keys(now.exportedTwice).length} names exported twice, ${now.foreignWords.length} foreign words\n`,
)
