import type { CreationEntry } from '@contract'

/** A creation in the journal, in the environment "a", which still leads to where it was sent. */
export const creationEntry = (more: Partial<CreationEntry> = {}): CreationEntry => ({
  kind: 'creation',
  id: 'j1',
  startedAt: '2026-11-21T10:00:00.000Z',
  endedAt: '2026-11-21T10:00:01.000Z',
  environmentId: 'a',
  environmentName: 'Environment a',
  state: 'created',
  name: 'agent',
  source: 'internal_docker',
  deploymentId: null,
  failure: null,
  lookup: null,
  lookFailure: null,
  sentAgain: 0,
  sentTo: 'a',
  ...more,
})
