import { fail, failure, type Failure, failureText, type Outcome, succeed } from '@contract'
import type { Annotation, IgnoredField, LastFilters, RecentChoice } from '@contract/app/personal'
import type { SavedView } from '@contract/cache'
import type { Offers } from '@contract/life/offers'
import { Sequencer, singleFlight } from '../../async'
import { environmentChangedFailure, type StoredService } from '../../environments/known'
import type { State } from '../state'

/** What operators keep for themselves. Each member is stored by itself. */
export interface PersonalContent {
  /** Favourites, labels and notes of the deployments of each service. */
  services: (StoredService & { annotations: Annotation[] })[]
  views: SavedView[]
  /** The deployments of each service that were assigned to an agent by hand. */
  agents: (StoredService & { deployments: { id: string; agent: string }[] })[]
  /** The agents whose rows of the board are pinned. */
  pinnedAgents: string[]
  /** The filters that lists were left with, the latest first. */
  lastFilters: (StoredService & { filters: LastFilters })[]
  /** What was chosen in the command palette, the latest first. A deployment belongs to a service. */
  recent: (RecentChoice & { of: StoredService | null })[]
  /** What the services of environments offer beside the interface: one for each environment. */
  offers: (StoredService & { offers: Offers })[]
  /** The fields that comparisons leave out. */
  ignoredFields: IgnoredField[]
}

/** The largest member that a change writes, in bytes: writing it doesn't block a process noticeably. */
const largestPersonalMember = 4_000_000

export interface PersonalOptions {
  state: Pick<State, 'read' | 'write'>
  /** Whether there is an environment with an identifier. */
  exists: (environmentId: string) => boolean
  /** Whether the keychain may be asked for what the operator didn't ask for. */
  mayAsk: () => boolean
  /** Called after the content was read, unless a call waited for it. */
  changed: () => void
  report: (error: unknown) => void
}

/** What a change makes of the content, and what it gives to its caller; or why it changes nothing. */
type Changed<Value> = Outcome<{ content: PersonalContent; value: Value }>

export type Personal = ReturnType<typeof createPersonal>

const nothing: PersonalContent = {
  services: [],
  views: [],
  agents: [],
  pinnedAgents: [],
  lastFilters: [],
  recent: [],
  offers: [],
  ignoredFields: [],
}

/** The operator's personal data on this machine. Failures: those of `State`. */
export function createPersonal({ state, exists, mayAsk, changed, report }: PersonalOptions) {
  let content: PersonalContent | null = null
  const changes = new Sequencer()

  const load = singleFlight(async (): Promise<Outcome<PersonalContent>> => {
    if (content) return succeed(content)
    const read = await state.read('personal')
    if (!read.ok) return read
    const members = read.value.rows.map(([name, text]) => [name, JSON.parse(text) as unknown])
    const found = { ...nothing, ...(Object.fromEntries(members) as Partial<PersonalContent>) }
    content = found
    return succeed(found)
  })

  /** Writes the members that differ. Gives why that failed, or null. */
  async function write(before: PersonalContent, after: PersonalContent): Promise<Failure | null> {
    const texts = (Object.keys(after) as (keyof PersonalContent)[]).flatMap((id) => {
      const value = after[id]
      const old = before[id]
      return value === old ? [] : [{ id, text: JSON.stringify(value), isLonger: value.length >= old.length }]
    })
    const isTooLarge = texts.some(
      ({ text, isLonger }) => isLonger && Buffer.byteLength(text) > largestPersonalMember,
    )
    if (isTooLarge) return tooLarge
    const written = await state.write(
      'personal',
      texts.map(({ id, text }) => ({ id, text })),
    )
    return written.ok ? null : written.failure
  }

  /** Whether the environment of a change, and its personal data, was removed meanwhile. Null if it is about none. */
  const isRemoved = (environmentId: string | null): boolean =>
    environmentId !== null && !exists(environmentId)

  /**
   * Makes one change after the other. Gives its value once it is on the disk, and only then the content has it. Also fails
   * with `environment-changed` if the environment that it is about is gone, and with `invalid-input` if the content would
   * become too large.
   */
  async function change<Value>(
    environmentId: string | null,
    make: (content: PersonalContent) => Changed<Value>,
  ): Promise<Outcome<Value>> {
    const ready = await load()
    if (!ready.ok) return ready
    return await changes.queue(async () => {
      if (isRemoved(environmentId)) return fail(environmentChangedFailure)
      const before = content ?? ready.value
      const made = make(before)
      if (!made.ok) return made
      const failed = await write(before, made.value.content)
      if (failed) return fail(failed)
      content = made.value.content
      return succeed(made.value.value)
    })
  }

  return {
    /** Reads the content. Call it after the window's first load, and again when the keychain may be open. */
    async open(): Promise<void> {
      if (content) return
      const read = await load()
      if (read.ok) changed()
    },

    // With what was noted before.
    content: (): Promise<Outcome<PersonalContent>> => changes.queue(load),
    change,

    /**
     * Makes a change to how Slipway was left, such as the last filters. It never causes a question or a message: one that
     * can't be written stays in effect until Slipway is closed.
     */
    note(environmentId: string | null, make: (content: PersonalContent) => PersonalContent): void {
      if (!content && !mayAsk()) return
      const noted = changes.queue(async () => {
        const ready = await load()
        if (!ready.ok || isRemoved(environmentId)) return
        content = make(ready.value)
        if (content !== ready.value && mayAsk()) await write(ready.value, content)
      })
      void noted.catch(report)
    },

    /** Deletes the data of a removed environment, if the content has been read. */
    async forget(environmentId: string): Promise<void> {
      if (!content) return
      const made = await change(null, (before) =>
        succeed({ content: without(before, environmentId), value: null }),
      )
      if (!made.ok) report(new Error(failureText(made.failure)))
    },

    /** Resolves once nothing is being written. */
    idle: (): Promise<unknown> => changes.idle(),
  }
}

const tooLarge = failure('invalid-input', 'Favourites, labels, notes and views take up too much space.', {
  advice: 'Shorten or remove some notes, then try again.',
})

/** The content without an environment's data. */
function without(content: PersonalContent, environmentId: string): PersonalContent {
  const isOther = (one: { environmentId: string | null }): boolean => one.environmentId !== environmentId
  return {
    ...content,
    services: content.services.filter(isOther),
    views: content.views.filter(isOther),
    agents: content.agents.filter(isOther),
    lastFilters: content.lastFilters.filter(isOther),
    offers: content.offers.filter(isOther),
    recent: content.recent.filter((choice) => environmentOf(choice) !== environmentId),
  }
}

/** The environment that a choice in the command palette is, or belongs to. */
const environmentOf = ({ kind, id, of }: PersonalContent['recent'][number]): string | null =>
  kind === 'environment' ? id : (of?.environmentId ?? null)
