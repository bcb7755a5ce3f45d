import { describe } from 'vitest'
import { fillShop } from './shop.ts'
import { contracts } from './stories/contracts.ts'
import { coverage } from './stories/coverage.ts'
import { create } from './stories/create.ts'
import { entity } from './stories/entity.ts'
import { everybody } from './stories/everybody.ts'
import { find } from './stories/find.ts'
import { governance } from './stories/governance.ts'
import { inbox } from './stories/inbox.ts'
import { lineage } from './stories/lineage.ts'
import { operate } from './stories/operate.ts'
import { proposals } from './stories/proposals.ts'
import { requests } from './stories/requests.ts'
import { signIn } from './stories/signIn.ts'
import { time } from './stories/time.ts'
import { lists } from './stories/lists.ts'
import { inBrowser } from './support.ts'

inBrowser('the console', fillShop, (stage) => {
  // Counts what there is, so before others add to it.
  describe('finding', () => find(stage))
  describe('signing in', () => signIn(stage))
  describe('an entity', () => entity(stage))
  describe('what is made', () => create(stage))
  describe('time', () => time(stage))
  describe('lineage', () => lineage(stage))
  describe('requests', () => requests(stage))
  describe('proposals', () => proposals(stage))
  describe('inbox', () => inbox(stage))
  describe('governance', () => governance(stage))
  describe('lists', () => lists(stage))
  describe('coverage', () => coverage(stage))
  describe('contracts', () => contracts(stage))
  describe('operating', () => operate(stage))
  describe('every page', () => everybody(stage))
})
