import { z } from 'zod'

/** What is known of the token that a program has. The token itself is nowhere kept. */
export const programToken = z.object({
  id: z.uuid(),
  roles: z.array(z.string()),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  expiresAt: z.iso.datetime(),
})
