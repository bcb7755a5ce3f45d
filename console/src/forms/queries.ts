import { queryOptions } from '@tanstack/react-query'
import type { Schemas } from './schema.ts'
import { get } from '../api/client.ts'
import { kindNamed } from '../api/kinds.ts'

/** The schemas of the part of the API that a kind has. */
export const schemasQuery = (kind: string) =>
  queryOptions({
    queryKey: ['schemas', kind],
    queryFn: async ({ signal }): Promise<Schemas> => {
      const query = { part: kindNamed(kind).path }
      return (await get<{ components: { schemas: Schemas } }>('/openapi.json', query, signal)).components.schemas
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
