import fc from 'fast-check'

/**
 * What properties are tried with. A commit that passed passes again: the examples are the same at each run, unless
 * `CATALOG_TEST_SEED` is another number. A property that fails says its seed.
 */
fc.configureGlobal({ seed: Number(process.env['CATALOG_TEST_SEED'] ?? 20_261_123) })

/**
 * How many examples a property that opens stores is tried with: all of them in `npm run test:all` and
 * `npm run test:external`, which set `CATALOG_TEST_THOROUGH`, and a fifth otherwise.
 */
export const examples = (all: number): number =>
  process.env['CATALOG_TEST_THOROUGH'] === undefined ? Math.ceil(all / 5) : all

export default fc
