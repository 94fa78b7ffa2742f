import type { CallName } from '@contract'
import { shallowRef } from 'vue'

/** A running call that the status line shows. */
export interface RunningCall {
  id: string
  /** "Loading deployments" */
  label: string
  cancel: () => void
}

/** The calls that the status line shows: those that wait for a service. */
const labels: Partial<Record<CallName, string>> = {
  'environments.check': 'Checking the connection',
  'deployments.page': 'Loading deployments',
  'deployments.get': 'Loading the deployment',
  'deployments.export': 'Exporting deployments',
  'deployments.create': 'Creating the deployment',
  'life.revisions': 'Loading revisions',
  'life.review': 'Reading the deployment',
  'life.change': 'Changing the deployment',
  'life.log': 'Loading the log',
  'repositories.list': 'Loading repositories',
}

/** Running calls, oldest first. */
export const running = shallowRef<readonly RunningCall[]>([])

/** Adds a call to the running ones if it has a label; gives a function that removes it. */
export function track(id: string, name: CallName, cancel: () => void): () => void {
  const label = labels[name]
  if (!label) return () => {}
  running.value = [...running.value, { id, label, cancel }]
  return () => {
    running.value = running.value.filter((call) => call.id !== id)
  }
}
