import { apiSteps } from './apis.ts'
import { dashboardSteps } from './dashboards.ts'
import { governanceSteps } from './governance.ts'
import { peopleSteps } from './people.ts'
import { productSteps } from './products.ts'
import { qualitySteps } from './quality.ts'
import type { Step } from './step.ts'
import { storageSteps } from './storage.ts'
import { streamSteps } from './streams.ts'
import { databaseSteps } from './warehouseTables.ts'

/** Juniper Outfitters, which sells outdoor gear: what its catalog holds, in an order in which it can be loaded. */
export const companySteps = (): Step[] => [
  ...peopleSteps(),
  ...governanceSteps(),
  ...databaseSteps(),
  ...streamSteps(),
  ...dashboardSteps(),
  ...storageSteps(),
  ...apiSteps(),
  ...qualitySteps(),
  ...productSteps(),
]

/** Number of requests' items in a step. */
export const sizeOf = (step: Step): number => ('deeds' in step ? step.deeds.length : step.items.length)
