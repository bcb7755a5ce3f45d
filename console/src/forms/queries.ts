import { queryOptions } from '@tanstack/react-query'
import type { Schemas } from './schema.ts'
import { apiUrl } from '../api/reads.ts'

/** The document is large: it is asked for when the first form is opened. */
export const schemasQuery = queryOptions({
  queryKey: ['schemas'],
  queryFn: async ({ signal }): Promise<Schemas> => {
    const response = await fetch(apiUrl('/openapi.json'), { signal })
    if (!response.ok) throw new Error(`The service answered ${response.status}.`)
    const document = (await response.json()) as { components: { schemas: Schemas } }
    return document.components.schemas
  },
  staleTime: Number.POSITIVE_INFINITY,
})
