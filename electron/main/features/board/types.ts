import type { Environments } from '../../environments/model/types'
import type { AllCaches } from '../all-caches'
import type { Agents } from '../personal/agents'

/** What the board is made of. */
export interface BoardOptions {
  allCaches: Pick<AllCaches, 'read'>
  agents: Pick<Agents, 'known'>
  environments: Pick<Environments, 'state' | 'destination'>
}
