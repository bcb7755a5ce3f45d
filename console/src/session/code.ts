import { call } from '../api/client.ts'

let told: string | undefined

/** Why the one-time code of the address did not sign anybody in. */
export const codeProblem = (): string | undefined => told

/** Somebody has signed in since. */
export const forgetCodeProblem = (): void => {
  told = undefined
}

/** Signs in with the code behind the `#` of the address, and takes it out of the address, the history and sight. Comes before the router, which would keep it. */
export const redeemCode = async (): Promise<void> => {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return
  history.replaceState(history.state, '', location.pathname + location.search)
  try {
    await call('POST', '/v1/session', { body: { code } })
  } catch (error) {
    told = error instanceof Error ? error.message : String(error)
  }
}
