import { z } from 'zod'
import { gives } from './gives'

const version = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/)

/** What the publisher says about the newest version. `minimum` is the oldest one that is still supported. */
export const releaseSchema = z.object({
  version,
  date: z.iso.datetime(),
  notes: z.string().max(2_000),
  minimum: version,
})

export type Release = z.infer<typeof releaseSchema>

/** What `updates.json` keeps. Members that are missing are as on the first start. */
export const storedUpdatesSchema = z.object({
  isOn: z.boolean().default(true),
  /** When the publisher last answered. */
  askedAt: z.iso.datetime().nullable().default(null),
  /** The newest release that was told. */
  release: releaseSchema.nullable().default(null),
  /** The version whose notice was dismissed. */
  dismissed: version.nullable().default(null),
})

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
  'updates.state': { input: z.strictObject({}), output: gives<UpdatesState>() },
  /** Switches it on or off. */
  'updates.choose': { input: z.strictObject({ isOn: z.boolean() }), output: gives<null>() },
  /** Ends the notice of a version for good. */
  'updates.dismiss': { input: z.strictObject({ version }), output: gives<null>() },
}
