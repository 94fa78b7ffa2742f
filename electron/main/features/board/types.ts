import type { Environments } from '../../environments/model/types'
import type { AllCaches } from '../all-caches'
import type { Agents } from '../../stored/personal/agents'

/** The parts of the application that the board uses. */
export interface BoardOptions {
  allCaches: Pick<AllCaches, 'read'>
  agents: Pick<Agents, 'known'>
  environments: Pick<Environments, 'state' | 'destination'>
}
