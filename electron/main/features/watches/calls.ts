import { randomUUID } from 'node:crypto'
import { type CallOutput, fail, failure, type Outcome, type ParsedCallInput, succeed } from '@contract'
import type { Watch, WatchesState } from '@contract/cache'
import { watchLimits } from '@contract/cache/choices'
import type { StoredNotice, StoredWatch } from '@contract/ipc/stored-content'
import { environmentChangedFailure } from '../../environments/failures'
import type { Environments } from '../../environments/types'
import { serviceAt } from '../../environments/identity'
import { type ChangeWatches, type Memory, withoutUnfollowed } from './store'
import { withRestored } from './notices'

type WatchCall =
  | 'watches.state'
  | 'watches.add'
  | 'watches.change'
  | 'watches.remove'
  | 'watches.follow'
  | 'watches.entries'
  | 'watches.markRead'
  | 'watches.dismiss'
  | 'watches.restore'
  | 'watches.setQuiet'

/** The handlers of the calls about watches. */
export type WatchCalls = {
  [Name in WatchCall]: (input: ParsedCallInput<Name>) => Promise<Outcome<CallOutput<Name>>>
}

interface WatchCallsOptions {
  environments: Pick<Environments, 'destination' | 'state'>
  change: ChangeWatches
  state: () => Promise<WatchesState>
  /** A notice that the page shows; undefined if there is none. */
  noticeOf: (id: string) => StoredNotice | undefined
  /** Checks the watched deployments at the service now. */
  askSoon: () => void
  /** Starts an environment's lists from its cache, if that is recent. */
  beginLists: (environmentId: string) => void
}

export function createWatchCalls({
  environments,
  change,
  state,
  noticeOf,
  askSoon,
  beginLists,
}: WatchCallsOptions): WatchCalls {
  /** The notices that were dismissed last. */
  let dismissed: readonly StoredNotice[] = []

  const edit = (make: (memory: Memory) => Memory): Promise<Outcome<null>> =>
    change((before) => succeed({ memory: make(before), value: null }))

  function changeWatch(
    id: string,
    make: (watch: StoredWatch) => Outcome<StoredWatch>,
  ): Promise<Outcome<null>> {
    return change((before) => {
      const watch = before.watches.find((one) => one.id === id)
      if (!watch) return fail(noWatch)
      const made = make(watch)
      if (!made.ok) return made
      const watches = before.watches.map((one) => (one === watch ? made.value : one))
      return succeed({ memory: { ...before, watches }, value: null })
    })
  }

  return {
    'watches.state': async () => succeed(await state()),

    async 'watches.add'({ environmentId, service, ...watch }) {
      const added = await change((before) => {
        const storedPlace = serviceAt(environments, environmentId, service)
        if (!storedPlace) return fail(environmentChangedFailure)
        const isSame = (one: StoredWatch): boolean =>
          one.service === storedPlace.service && isOnSame(one, watch)
        const same = before.watches.find((one) => one.environmentId === environmentId && isSame(one))
        const others = before.watches.filter((one) => one !== same)
        if (others.length >= watchLimits.count) return fail(tooMany)
        const id = same?.id ?? randomUUID()
        const made = { ...watch, ...storedPlace, id, hasBegun: false, isTooLong: false }
        const { on } = watch
        const fresh =
          same || on.kind === 'list' ? before : withoutUnfollowed(before, storedPlace, on.deploymentId)
        return succeed({ memory: { ...fresh, watches: [...others, made] }, value: { id } })
      })
      if (added.ok && watch.on.kind === 'list') beginLists(environmentId)
      else if (added.ok) askSoon()
      return added
    },

    'watches.change': ({ id, name, ...choices }) =>
      changeWatch(id, (watch) => {
        const on = watch.on.kind === 'list' && name !== null ? { ...watch.on, name } : watch.on
        return succeed({ ...watch, ...choices, on })
      }),

    'watches.remove': ({ ids }) =>
      edit((before) => ({ ...before, watches: before.watches.filter(({ id }) => !ids.includes(id)) })),

    async 'watches.follow'({ id, service }) {
      const followed = await changeWatch(id, (watch) => {
        const storedPlace = serviceAt(environments, watch.environmentId, service)
        if (!storedPlace) return fail(environmentChangedFailure)
        return succeed({ ...watch, ...storedPlace, hasBegun: false, isTooLong: false })
      })
      if (followed.ok) askSoon()
      return followed
    },

    'watches.entries': ({ id }) => {
      const notice = noticeOf(id)
      return Promise.resolve(notice ? succeed(notice.entries) : fail(noNotice))
    },

    'watches.markRead': ({ ids, isRead }) =>
      edit((before) => ({
        ...before,
        notices: before.notices.map((one) => (ids.includes(one.id) ? { ...one, isRead } : one)),
      })),

    'watches.dismiss': ({ ids }) =>
      edit((before) => {
        dismissed = before.notices.filter(({ id }) => ids.includes(id))
        return { ...before, notices: before.notices.filter(({ id }) => !ids.includes(id)) }
      }),

    'watches.restore': () =>
      edit((before) => {
        const ids = environments.state().environments.map(({ id }) => id)
        const left = dismissed.filter(({ environmentId }) => ids.includes(environmentId))
        return { ...before, notices: withRestored(before.notices, left) }
      }),

    'watches.setQuiet': ({ quiet }) => edit((before) => ({ ...before, quiet })),
  }
}

/** Whether two watches are on the same deployment. Two lists never count as the same: each has a name of its own. */
const isOnSame = ({ on: one }: Pick<Watch, 'on'>, { on: other }: Pick<Watch, 'on'>): boolean =>
  one.kind === 'deployment' && other.kind === 'deployment' && one.deploymentId === other.deploymentId

const noWatch = failure('not-found', 'This watch no longer exists.')

const noNotice = failure('not-found', 'This notice no longer exists.')

const tooMany = failure('invalid-input', `There are ${watchLimits.count} watches already.`, {
  advice: 'Remove some of them, then try again.',
})
