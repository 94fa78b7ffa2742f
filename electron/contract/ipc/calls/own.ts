import { z } from 'zod'
import {
  draftInputSchema,
  type DraftsPersistence,
  type EnvironmentDrafts,
  templateInputSchema,
} from '../../app/drafts'
import { identifierSchema } from '../../app/environment'
import {
  type Annotation,
  annotationChangeSchema,
  type LastFilters,
  lastFiltersChangeSchema,
  type RecentChoice,
  recentChoiceSchema,
} from '../../app/personal'
import { type SavedView, savedViewSchema, type ViewContent, viewLimits } from '../../cache/query'
import {
  type NoticeEntry,
  quietHoursSchema,
  watchChangeSchema,
  type WatchesState,
  watchToAddSchema,
} from '../../cache/watches'
import { watchLimits } from '../../cache/choices'
import { call, callWith, environmentId, namedService } from './call'

/** Input and output of the calls about drafts and templates. */
export const draftCalls = {
  /**
   * The drafts and templates of an environment; values of secrets are marks. Answers soon, even if the file can't be
   * read yet.
   */
  'drafts.list': call<EnvironmentDrafts>()({ environmentId }),
  /**
   * Saves a draft as it is now: in memory at once, on disk soon after. `current` makes it the one to show first. Values
   * of secrets count as entered for this environment as it is now. A marked value keeps the environment that it was
   * entered for. Fails with `invalid-input` beyond `draftLimits`, or with more secrets than a request may have; the
   * earlier state of the draft stays stored.
   */
  'drafts.save': call<DraftsPersistence>()({ environmentId, draft: draftInputSchema, current: z.boolean() }),
  'drafts.remove': call<DraftsPersistence>()({ environmentId, id: identifierSchema }),
  /** Adds a template, or replaces the one with its identifier, without values of secrets. Failures as above. */
  'drafts.saveTemplate': call<DraftsPersistence>()({ environmentId, template: templateInputSchema }),
  'drafts.removeTemplate': call<DraftsPersistence>()({ environmentId, id: identifierSchema }),
  /** Asks the keychain again for the key of the drafts. The system may ask for a password. */
  'drafts.retry': call<DraftsPersistence>()({}),
  /** Answers the event `drafts.flush`: everything that was entered has been saved. */
  'drafts.flushed': call<null>()({}),
}

/** Input and output of the calls about what operators keep on this machine for themselves. */
export const personalCalls = {
  /**
   * Favourites, labels and notes of deployments of the service that an environment leads to. Failures: the keychain's,
   * `internal`.
   */
  'annotations.list': call<Annotation[]>()({ environmentId }),
  /**
   * Changes what is kept about one deployment. Returns what is then on disk. Failures: the keychain's,
   * `environment-changed`, `invalid-input`, `disk-full`, `internal`. A failure changes nothing.
   */
  'annotations.save': callWith<Annotation>()(annotationChangeSchema),
  /** Answers the event `annotations.flush`: the unfinished note is saved, or can't be. */
  'annotations.flushed': call<null>()({}),
  /** The saved views of all environments. Failures: the keychain's, `internal`. */
  'views.list': call<SavedView[]>()({}),
  /**
   * Adds views, or replaces those with the same identifiers: all or none. Returns all views. Failures: those of
   * `annotations.save`, and `not-found` for an environment that is gone.
   */
  'views.save': call<SavedView[]>()({ views: z.array(savedViewSchema).min(1).max(viewLimits.count) }),
  /** Removes views: all or none. Returns the others. */
  'views.remove': call<SavedView[]>()({ ids: z.array(identifierSchema).min(1).max(viewLimits.count) }),
  /**
   * Saves views to a file that the operator chooses. The file names no environment. Null if the operator cancels.
   * Failures: `not-found`, `not-allowed` if a view has a stored secret or an environment's address, `disk-full`,
   * `internal`.
   */
  'views.share': call<{ path: string | null }>()({
    ids: z.array(identifierSchema).min(1).max(viewLimits.count),
  }),
  /**
   * Reads views from a file that the operator chooses, and adds none of them. Failures: `invalid-input`, `internal`.
   */
  'views.read': call<{ fileName: string; views: ViewContent[] } | null>()({}),
  /**
   * The filters that the list of an environment was left with, for the service that it leads to; null without any.
   * Answers within the time that a start may wait. Failures: the keychain's, `internal`.
   */
  'lastFilters.read': call<LastFilters | null>()({ environmentId }),
  /** Remembers the filters of a list soon, if that is possible. Failure: `environment-changed`. */
  'lastFilters.save': callWith<null>()(lastFiltersChangeSchema),
  /**
   * What was chosen in the command palette, the latest first. Only deployments of the service that the environment
   * leads to are included. Failures: the keychain's, `internal`.
   */
  'recents.list': call<RecentChoice[]>()({ environmentId }),
  /** Remembers a choice soon, if that is possible. Failure: `environment-changed`. */
  'recents.add': call<null>()({
    environmentId,
    service: namedService,
    choice: recentChoiceSchema,
  }),
}

const noticeIds = z.array(identifierSchema).max(watchLimits.notices)

/**
 * Input and output of the calls about watches and their notices. A call that changes something returns once the change
 * is on disk. The event `watches.changed` then has the new state. Failures: the keychain's, `disk-full`, `internal`.
 */
export const watchCalls = {
  /** The watches and their notices. Later states come as the event `watches.changed`. */
  'watches.state': call<WatchesState>()({}),
  /**
   * Watches a deployment or a list. Failures: also `environment-changed` if the
   * environment leads elsewhere by now, and `invalid-input` beyond the limits.
   */
  'watches.add': callWith<null>()(watchToAddSchema),
  /** Changes what a watch reports. Failures: also `not-found`. */
  'watches.change': callWith<null>()(watchChangeSchema),
  'watches.remove': call<null>()({ ids: z.array(identifierSchema).min(1).max(watchLimits.count) }),
  /**
   * Makes a watch of an edited environment follow the service that the environment leads to now. Until then, that
   * service got no request for it. Failures: also `not-found`, `environment-changed`.
   */
  'watches.follow': call<null>()({ id: identifierSchema, service: namedService }),
  /** All entries of a notice. The state has only the first ones. Failures: also `not-found`. */
  'watches.entries': call<NoticeEntry[]>()({ id: identifierSchema }),
  'watches.markRead': call<null>()({ ids: noticeIds, isRead: z.boolean() }),
  'watches.dismiss': call<null>()({ ids: noticeIds }),
  /** Restores what the last `watches.dismiss` of this session dismissed, as far as it still exists. */
  'watches.restore': call<null>()({}),
  'watches.setQuiet': call<null>()({ quiet: quietHoursSchema }),
}

const version = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/)

/** What the publisher says about the newest version. `minimum` is the oldest one that is still supported. */
export const releaseSchema = z.object({
  version,
  date: z.iso.datetime(),
  notes: z.string().max(2_000),
  minimum: version,
})

export type Release = z.infer<typeof releaseSchema>

/** The notice of updates, for the page. */
export interface UpdatesState {
  /** Whether this build knows where to ask. */
  isPossible: boolean
  /** The operator's choice. */
  isOn: boolean
  /** What switches it off whatever the operator chose. */
  offBy: 'variable' | 'policy' | null
  /**
   * A newer version that wasn't dismissed. `isUnsupported`: this one is older than any that is still supported.
   * `command` installs it; null where there is none.
   */
  newer: (Release & { isUnsupported: boolean; command: string | null }) | null
}

/** Input and output of the calls about the notice of updates. The event `updates.changed` then has the new state. */
export const updateCalls = {
  'updates.state': call<UpdatesState>()({}),
  /** Switches it on or off. */
  'updates.choose': call<null>()({ isOn: z.boolean() }),
  /** Ends the notice of a version for good. */
  'updates.dismiss': call<null>()({ version }),
}
