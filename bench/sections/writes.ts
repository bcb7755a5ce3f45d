import { entityId } from '../../src/kinds/names.ts'
import { keptService, someTables, tableRequest } from '../catalog.ts'
import { call, compareLine, type Bench, type Section } from '../context.ts'
import type { Sent } from '../load.ts'

/** Makes a schema of this name. @returns requests that create one table after the other in it */
export const newTables = async (bench: Bench, name: string): Promise<() => Sent> => {
  const database = `${keptService}.main`
  await call(bench, 'PUT', '/api/v1/databaseSchemas', { name, database })
  let count = 0
  return () => ({
    path: '/api/v1/tables',
    body: JSON.stringify(tableRequest(`${database}.${name}.${name}_${count++}`)),
  })
}

const create: Section = {
  name: 'create',
  title: 'create',
  loaded: true,
  measure: async (bench) => {
    const next = await newTables(bench, 'created')
    await compareLine(bench, 'create (durable)', 'create', { method: 'POST', requests: next })
    await compareLine(
      bench,
      'create (durable), one at a time',
      'create-1',
      { method: 'POST', requests: next },
      { note: '1 connection', connections: 1 },
    )
  },
}

const upsert: Section = {
  name: 'upsert',
  title: 'upsert without change',
  loaded: true,
  measure: async (bench) => {
    const requests = someTables(bench.shape, 200).map(({ fullyQualifiedName }) => ({
      path: '/api/v1/tables',
      body: JSON.stringify(tableRequest(fullyQualifiedName)),
    }))
    await compareLine(bench, 'upsert without change', 'upsert', { method: 'PUT', requests })
  },
}

const patch: Section = {
  name: 'patch',
  title: 'patch',
  loaded: true,
  measure: async (bench) => {
    const tables = someTables(bench.shape, 2000)
    let count = 0
    const next = () => {
      const index = count++
      return {
        path: `/api/v1/tables/${tables[index % tables.length]?.id}`,
        body: JSON.stringify({ displayName: `Table ${index}` }),
      }
    }
    await compareLine(bench, 'patch (one member)', 'patch', {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      requests: next,
    })
  },
}

const vote: Section = {
  name: 'vote',
  title: 'vote',
  loaded: true,
  measure: async (bench) => {
    const votes = (most: number) => {
      const tables = someTables(bench.shape, most)
      let count = 0
      return () => {
        const index = count++
        const updatedVoteType = Math.floor(index / tables.length) % 2 === 0 ? 'votedUp' : 'votedDown'
        return {
          path: `/api/v1/tables/${tables[index % tables.length]?.id}/vote`,
          body: JSON.stringify({ updatedVoteType }),
        }
      }
    }
    await compareLine(bench, 'vote', 'vote', { method: 'PUT', requests: votes(2000) })
    await compareLine(bench, 'vote on one table', 'vote-one', { method: 'PUT', requests: votes(1) })
  },
}

const sealed: Section = {
  name: 'sealed',
  title: 'users, whose values are sealed',
  loaded: false,
  measure: async (bench) => {
    let count = 0
    const next = (members: Record<string, string>) => () => ({
      path: '/api/v1/users',
      body: JSON.stringify({ name: `user_${count++}`, ...members }),
    })
    const open = { method: 'POST', requests: next({}) } as const
    await compareLine(bench, 'create a user with nothing to seal', 'user', open)
    const personal = { email: 'ann@example.org', displayName: 'Ann Example', description: 'Looks after the warehouse.' }
    const note = 'three members sealed, with a key of the user'
    await compareLine(bench, 'create a user', 'user-sealed', { method: 'POST', requests: next(personal) }, { note })
    const names = Array.from({ length: 200 }, (_, index) => `patched_${index}`)
    for (const name of names) await call(bench, 'PUT', '/api/v1/users', { name, ...personal })
    const requests = () => ({
      path: `/api/v1/users/${entityId('user', names[count++ % names.length] as string)}`,
      body: JSON.stringify({ displayName: `Number ${count}` }),
    })
    const contentType = 'application/merge-patch+json'
    await compareLine(bench, 'patch a sealed member', 'patch-sealed', { method: 'PATCH', contentType, requests })
  },
}

export const writeSections: readonly Section[] = [create, upsert, patch, vote, sealed]
