import { join } from 'node:path'
import { succeed } from '@contract'
import type { Environments } from '../../../electron/main/environments'
import { accountIdentity } from '../../../electron/main/environments/model/service-identity'
import { encryptedFile } from '../../../electron/main/files/encrypted-file'
import { createPersonal, type Personal } from '../../../electron/main/stored/personal'

/** The key of the file in tests. */
export const personalKey = 'ab'.repeat(32)

/** Opens the file of what operators keep, as a start does. */
export const openPersonalIn = (folder: string): Personal =>
  createPersonal({
    file: encryptedFile(join(folder, 'personal.sealed')),
    keys: { keyFor: () => Promise.resolve(succeed(personalKey)) },
    changed: () => undefined,
    notice: () => undefined,
    regained: () => undefined,
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
