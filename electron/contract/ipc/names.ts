/** The calls that the renderer can make. Free of zod, because the preload loads it. */
export const callNames = [
  'app.state',
  'app.notices',
  'environments.save',
  'environments.remove',
  'environments.select',
  'environments.reorder',
  'environments.openFile',
  'environments.saveFile',
  'environments.check',
  'environments.retryKeychain',
  'environments.trust',
  'environments.readAuthority',
  'environments.chooseAuthority',
  'deployments.page',
  'deployments.get',
  'deployments.status',
  'deployments.create',
  'deployments.lookUp',
  'deployments.claim',
  'deployments.export',
  'drafts.list',
  'drafts.save',
  'drafts.remove',
  'drafts.saveTemplate',
  'drafts.removeTemplate',
  'drafts.retry',
  'drafts.flushed',
  'annotations.list',
  'annotations.save',
  'annotations.flushed',
  'views.list',
  'views.save',
  'views.remove',
  'views.share',
  'views.read',
  'repositories.list',
  'cache.page',
  'cache.statuses',
  'cache.cleanUp',
  'sync.state',
  'sync.start',
  'sync.cancel',
  'sync.interval',
  'journal.list',
  'requestFile.open',
  'requestFile.save',
  'choices.read',
  'choices.save',
  'diagnostics.describe',
  'diagnostics.save',
  'diagnostics.openLogFolder',
  'clipboard.write',
  'appLinks.take',
  'links.open',
  'window.notify',
] as const

export type CallName = (typeof callNames)[number]

/** The events that the main process sends to the renderer. */
export const eventNames = [
  'app.state',
  'app.notices',
  'appLinks.arrived',
  'annotations.flush',
  'connection.changed',
  'drafts.changed',
  'drafts.flush',
  'export.progress',
  'journal.changed',
  'personal.changed',
  'sync.changed',
  'window.command',
] as const

export type EventName = (typeof eventNames)[number]

/** The IPC channels of calls, of events, and for cancelling calls. */
export const callChannel = (name: CallName): string => `call:${name}`
export const eventChannel = (name: EventName): string => `event:${name}`
export const cancelChannel = 'cancel'
