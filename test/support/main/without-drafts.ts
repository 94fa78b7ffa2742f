import { succeed } from '@contract'
import type { CreationDrafts } from '../../../electron/main/features/deployments/creation/types'

/** Creations of requests that have the values of their secrets, not marks. */
export const withoutDrafts: CreationDrafts = {
  settle: () => Promise.resolve(),
  fillIn: (request) => Promise.resolve(succeed(request)),
}
