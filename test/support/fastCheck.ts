import fc from 'fast-check'

/** Whether this is `npm run test:all` or `npm run test:external`, which also run what takes long. */
export const thorough = process.env['CATALOG_TEST_THOROUGH'] !== undefined

/**
 * What properties are tried with. A commit that passed passes again: the examples are the same at each run, unless
 * `CATALOG_TEST_SEED` is another number. A property that fails says its seed.
 */
fc.configureGlobal({
  seed: Number(process.env['CATALOG_TEST_SEED'] ?? 20_261_123),
  baseSize: 'medium',
  numRuns: thorough ? 100 : 30,
})

/**
 * How many examples a property that opens stores, or takes long otherwise, is tried with: all of them where it is
 * {@link thorough}, and a tenth otherwise.
 */
export const examples = (all: number): number => (thorough ? all : Math.ceil(all / 10))

export default fc
