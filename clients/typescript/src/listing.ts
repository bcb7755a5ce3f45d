/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[]
  /** How many there are on all pages. */
  readonly total: number
}

interface Paged {
  readonly paging: { readonly total: number; readonly after?: string | undefined }
}

/** A list that is read as far as it is walked: `for await (const item of list)`. */
export class Listing<T> implements AsyncIterable<T> {
  readonly #read: (after: string | undefined) => Promise<{ page: Page<T>; after: string | undefined }>

  constructor(read: (after: string | undefined) => Promise<{ page: Page<T>; after: string | undefined }>) {
    this.#read = read
  }

  /** From answers of the catalog. @param items finds them in an answer */
  static of<T, A extends Paged>(read: (after: string | undefined) => Promise<A>, items: (answer: A) => readonly T[]) {
    return new Listing<T>(async (after) => {
      const answer = await read(after)
      return { page: { items: items(answer), total: answer.paging.total }, after: answer.paging.after }
    })
  }

  /** Page by page, each one request. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let after: string | undefined
    do {
      const read = await this.#read(after)
      yield read.page
      after = read.after
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
