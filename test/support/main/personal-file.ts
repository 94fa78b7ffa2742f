import type { Environments } from '../../../electron/main/environments'
import { accountIdentity } from '../../../electron/main/environments/model/service-identity'
import { createPersonal, type Personal } from '../../../electron/main/stored/personal'
import { stateIn } from './state'

/** Opens what operators keep, as a start does. */
export const openPersonalIn = (folder: string): Personal =>
  createPersonal({
    state: stateIn(folder),
    mayAsk: () => true,
    changed: () => undefined,
    report: () => undefined,
  })

/** Where an environment leads. */
export interface Leads {
  baseUrl: string
  headers: Record<string, string>
}

/** Environments that lead where `leads` says at that moment. An environment that isn't in `leads` is gone. */
export function environmentsLeading(leads: Map<string, Leads>) {
  const serviceOf = (id: string): string =>
    accountIdentity({ environmentId: id, ...leads.get(id)! }, 'session')
  const environments = {
    destination: (id: string) =>
      leads.has(id)
        ? { id, name: id, target: { environmentId: id, ...leads.get(id)! }, service: serviceOf(id) }
        : null,
    state: () => ({ environments: [...leads.keys()].map((id) => ({ id, service: serviceOf(id) })) }),
    ready: () => Promise.reject(new Error('The destination is known.')),
  } as unknown as Environments
  return { environments, serviceOf }
}
