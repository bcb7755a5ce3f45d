export interface Actor {
  /** User name: `preferred_username`, else `sub`. */
  readonly name: string
  readonly roles: readonly string[]
  /** When the token stops being accepted, in milliseconds since the epoch; absent: never. */
  readonly until?: number
  /** Has a token with a name, which can be revoked at any time: nothing that outlasts it is made from it. */
  readonly program?: true
  /** Does that which it came with still hold? Absent: until its time has come. */
  readonly holds?: () => Promise<boolean>
}
