/** Does the moment belong to the present life: was there no deletion for good since? */
export const isOfPresentLife = (moments: readonly { readonly verb: string }[], at: number): boolean =>
  at > moments.findLastIndex(({ verb }) => verb === 'HardDeleted')
