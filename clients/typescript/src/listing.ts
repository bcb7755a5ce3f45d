/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[]
  /** How many there are on all pages. */
  readonly total: number
}

/** A list that is read as far as it is walked: `for await (const item of list)`. */
export class Listing<T> implements AsyncIterable<T> {
  readonly #read: (after: string | undefined) => Promise<Page<T> & { readonly after?: string | undefined }>

  /** @param read gives the page after a cursor, with the cursor of the next one where there is one */
  constructor(read: (after: string | undefined) => Promise<Page<T> & { readonly after?: string | undefined }>) {
    this.#read = read
  }

  /** Page by page, each one request. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let after: string | undefined
    do {
      const { after: next, ...page } = await this.#read(after)
      yield page
      after = next
    } while (after !== undefined)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items
  }

  /** Everything at once, for lists that are known to be short. */
  async all(): Promise<T[]> {
    const all: T[] = []
    for await (const item of this) all.push(item)
    return all
  }
}
