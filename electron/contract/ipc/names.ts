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
  'deployments.dismiss',
  'deployments.export',
  'deployments.showExport',
  'life.offers',
  'life.keptOffers',
  'life.switchOn',
  'life.choices',
  'life.revisions',
  'life.failed',
  'life.log',
  'life.review',
  'life.change',
  'life.lookUp',
  'life.saveLog',
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
  'lastFilters.read',
  'lastFilters.save',
  'recents.list',
  'recents.add',
  'comparison.find',
  'comparison.deployment',
  'comparison.ignored',
  'comparison.ignore',
  'board.page',
  'agents.assign',
  'agents.pin',
  'repositories.list',
  'cache.page',
  'cache.statuses',
  'cache.cleanUp',
  'history.deployment',
  'history.changes',
  'history.statuses',
  'history.earlier',
  'history.state',
  'history.keep',
  'sync.state',
  'sync.start',
  'sync.cancel',
  'sync.interval',
  'overview.read',
  'overview.changes',
  'overview.statuses',
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
  'watches.state',
  'watches.add',
  'watches.change',
  'watches.remove',
  'watches.follow',
  'watches.entries',
  'watches.markRead',
  'watches.dismiss',
  'watches.restore',
  'watches.setQuiet',
  'updates.state',
  'updates.choose',
  'updates.dismiss',
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
  'updates.changed',
  'watches.changed',
  'watches.shown',
  'window.command',
] as const

export type EventName = (typeof eventNames)[number]

/** The IPC channels of calls, of events, and for cancelling calls. */
export const callChannel = (name: CallName): string => `call:${name}`
export const eventChannel = (name: EventName): string => `event:${name}`
export const cancelChannel = 'cancel'

/**
 * What the preload exposes to the renderer as `window.slipway`: a function for each call, and a subscription for each
 * event.
 *
 * A call takes an identifier, for cancelling it, and its input. It resolves to the outcome as JSON text, because one
 * text crosses both boundaries far faster than an object. It never rejects.
 */
export interface Bridge {
  calls: Record<CallName, (callId: string, input: unknown) => Promise<string>>
  cancel: (callId: string) => void
  /** Subscribes to an event, whose payload is JSON text. Returns the function that unsubscribes. */
  events: Record<EventName, (listener: (payload: string) => void) => () => void>
}
