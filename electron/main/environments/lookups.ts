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
