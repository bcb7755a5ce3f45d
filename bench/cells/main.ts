import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { quantile } from '../load.ts'
import { simulate } from './simulation.ts'

const { values } = parseArgs({
  options: {
    roots: { type: 'string', default: '100000' },
    entities: { type: 'string', default: '100000' },
    writers: { type: 'string', default: '32' },
    margin: { type: 'string', default: '3000' },
    unfenced: { type: 'boolean', default: false },
  },
})
const folder = await mkdtemp(join(tmpdir(), 'catalog-cells-'))
try {
  const outcome = await simulate({
    folder,
    roots: Number(values.roots),
    entities: Number(values.entities),
    writers: Number(values.writers),
    margin: Number(values.margin),
    fenced: !values.unfenced,
    random: Math.random,
  })
  const { findings, acknowledged, duringMove, refused, kills, move, eventsMoved } = outcome
  const times = duringMove.toSorted((a, b) => a - b)
  process.stdout.write(
    `${eventsMoved} events moved in ${(move / 1000).toFixed(1)} s, the mover killed ${kills} times; ` +
      `${acknowledged} writes acknowledged, ${times.length} of them during the move (median ${quantile(times, 0.5).toFixed(0)} ms, longest ${quantile(times, 1).toFixed(0)} ms); ` +
      `${refused} times a sealed cell refused a write, which then went to where the cell is.\n` +
      `${findings.length === 0 ? 'Names are unique and no event is lost.' : findings.slice(0, 20).join('\n')}\n`,
  )
  process.exitCode = findings.length === 0 ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
