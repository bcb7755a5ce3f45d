export { matchWithLabels as makeMatch, type EventMatcher as Match } from '../../projections/activity/matching.ts'
export type { ActivityFilter as FeedFilter } from '../../projections/activity/port.ts'
