import fc from 'fast-check'

/**
 * What properties are tried with. A commit that passed passes again: the examples are the same at each run, unless
 * `CATALOG_TEST_SEED` is another number. A property that fails says its seed.
 */
fc.configureGlobal({ seed: Number(process.env['CATALOG_TEST_SEED'] ?? 20_261_123) })

export default fc
