import { type DeploymentType, deploymentTypes, isKnownSource, sourceLabels } from '@contract/core/labels'
import type { ChangeKind } from '@contract/life/changes'

/** The label of a source; an unknown one is shown as the service names it. */
export const sourceLabel = (source: string): string => (isKnownSource(source) ? sourceLabels[source] : source)

const labels: Record<DeploymentType, string> = {
  dev_free: 'Development (free)',
  dev: 'Development',
  prod: 'Production',
}

/** The label of a deployment type. One that the interface doesn't name is shown as it came. */
export function deploymentTypeLabel(type: string): string {
  return Object.hasOwn(labels, type) ? labels[type as DeploymentType] : type
}

/** The deployment types to choose from. */
export const deploymentTypeOptions = deploymentTypes.map((value) => ({ value, label: labels[value] }))

/** What a kind of change is called, and what is said of it afterwards. */
const words: Record<ChangeKind, { title: string; done: string }> = {
  revision: { title: 'New revision', done: 'Made a revision of' },
  secrets: { title: 'Variables and secrets', done: 'Changed the secrets of' },
  resources: { title: 'Resources', done: 'Changed the resources of' },
  settings: { title: 'Settings', done: 'Changed the settings of' },
  redeploy: { title: 'Redeploy', done: 'Redeployed' },
  'roll-back': { title: 'Roll back', done: 'Rolled back' },
  interrupt: { title: 'Interrupt', done: 'Interrupted' },
  delete: { title: 'Delete', done: 'Deleted' },
}

/** The name of a kind of change: "New revision". */
export const changeTitle = (kind: ChangeKind): string => words[kind].title

/** What was done, before the deployment's name: "Rolled back". */
export const changeDone = (kind: ChangeKind): string => words[kind].done
