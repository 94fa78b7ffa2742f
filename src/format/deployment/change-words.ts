import type { ChangeKind } from '@contract/life/changes'

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
