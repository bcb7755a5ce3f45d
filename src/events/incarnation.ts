import type { Reference } from './events.ts'

/** Names the life of an entity that a reference means: by its id alone the first of its name. */
export const incarnationKey = ({ id, life = 0 }: Pick<Reference, 'id' | 'life'>): string =>
  life === 0 ? id : `${id}@${life}`

/** The same of an entity. @param born revision of the Created that began its present life */
export const incarnationOf = ({ id, born }: { readonly id: string; readonly born: bigint }): string =>
  incarnationKey({ id, life: Number(born) })

export const entityOf = (life: string): string => life.split('@', 1)[0] as string
