import { randomBytes } from 'node:crypto'
import type { Called } from '@contract'
import type { HttpTarget } from '../http/types'
import { accountIdentity, calledAccount } from './model/service-identity'
import type { Environments } from './model/types'

type Known = Pick<Environments, 'state'>

/** Tells whether there is an environment with an identifier now. */
export const existsIn =
  (environments: Known) =>
  (id: string): boolean =>
    environments.state().environments.some((one) => one.id === id)

/** Gives the service that an environment leads to now (`Environment.service`); null if that isn't known. */
export const serviceIn =
  (environments: Known) =>
  (id: string): string | null =>
    environments.state().environments.find((one) => one.id === id)?.service ?? null

/** Gives an environment's name; null if there is none. */
export const nameIn =
  (environments: Known) =>
  (id: string): string | null =>
    environments.state().environments.find((one) => one.id === id)?.name ?? null

const salt = randomBytes(32).toString('base64')

/** Gives the account that an environment leads to now, as the journal keeps it; null if that isn't known. */
export const accountIn =
  (environments: Pick<Environments, 'destination'>) =>
  (id: string): Called | null => {
    const target = environments.destination(id)?.target
    return target ? calledAccount(target, salt) : null
  }

/** Tells whether a target is where its environment leads now. */
export const isWhereItLeads =
  (environments: Pick<Environments, 'destination'>) =>
  (target: HttpTarget): boolean => {
    const now = target.environmentId === null ? null : environments.destination(target.environmentId)
    return now !== null && accountIdentity(now.target, salt) === accountIdentity(target, salt)
  }
