import type { SavedView, ViewContent } from '@contract/cache'

/** The content of a view with this name; `search` is its search text. */
export const viewContent = (name: string, search = ''): ViewContent => ({
  name,
  filters: {
    name: search,
    statuses: ['READY'],
    rollingOut: false,
    deploymentType: null,
    remoteReconciled: 'yes',
    imageVersion: '',
    tagValueIds: '',
    deploymentIds: '',
    favourites: true,
    label: 'mine',
  },
  source: 'cached',
  sort: { by: 'name', descending: false },
  size: 20,
})

/** A saved view whose identifier ends with a digit. */
export const savedView = (digit: number, name: string, environmentId: string | null = 'e'): SavedView => ({
  id: `00000000-0000-4000-8000-00000000000${digit}`,
  environmentId,
  ...viewContent(name),
})
