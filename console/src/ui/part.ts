import { lazyRouteComponent } from '@tanstack/react-router'
import { mustRespond } from '../api/readiness.ts'

/**
 * A part of the console that is loaded when it is shown. Where the catalog responds and does not have it, there is a
 * newer console, which the router loads.
 */
export const part: typeof lazyRouteComponent = (load, name) => {
  const loadOrSay = () =>
    load().catch(async (error: unknown) => {
      await mustRespond()
      throw error
    })
  return lazyRouteComponent(loadOrSay, name)
}
