import type { CallName } from '@contract'
import { shallowRef } from 'vue'

/** A call that is under way and worth showing in the status line. */
export interface RunningCall {
  id: string
  /** What it does, in words: "Loading deployments". */
  label: string
  cancel: () => void
}

/** The calls that are shown as progress: those that wait for a service. */
const labels: Partial<Record<CallName, string>> = {
  'environments.check': 'Checking the connection',
  'deployments.page': 'Loading deployments',
  'deployments.get': 'Loading the deployment',
  'deployments.create': 'Creating the deployment',
  'repositories.list': 'Loading repositories',
}

/** The calls under way, the oldest first. */
export const running = shallowRef<readonly RunningCall[]>([])

/** Adds a call to those under way, where it is one to be shown; gives the function that takes it out again. */
export function track(id: string, name: CallName, cancel: () => void): () => void {
  const label = labels[name]
  if (!label) return () => {}
  running.value = [...running.value, { id, label, cancel }]
  return () => {
    running.value = running.value.filter((call) => call.id !== id)
  }
}
