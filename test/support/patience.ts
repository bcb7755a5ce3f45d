/**
 * How long a test waits for what is to come, in milliseconds: so long that only what never comes is missed, on a machine
 * that is slow and does much else as well. A test that says a shorter time itself can fail without a defect.
 */
export const patience = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  /** Of `expect.poll`. */
  expect: { poll: { timeout: 120_000 } },
} as const

/** Milliseconds for which a test waits for one thing. */
export const longEnough: number = patience.expect.poll.timeout
