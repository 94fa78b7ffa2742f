import { type Failure, failure } from '@contract'
import { type WatchesContent, watchesSchema } from '@contract/ipc/stored-content'
import { createTable, type State } from '../../stored/state'

/** The watches and their notices on the disk. */
export interface StoredWatches {
  /** Gives the content, and reads it if that hasn't been done. */
  read: () => Promise<{ content: WatchesContent } | { failure: Failure }>
  /** Replaces the content. Gives why that failed, or null. The latest call takes precedence. */
  write: (content: WatchesContent) => Promise<Failure | null>
  /** Whether there may be something that hasn't been read. */
  isUnread: () => boolean
}

const none: WatchesContent = { watches: [], notices: [], quiet: null, services: [] }

/** What the identifiers of the rows of watched services begin with. */
const servicePrefix = 'service '

/** Each member has a row, and each watched service. */
export function openStoredWatches(state: Pick<State, 'read' | 'write' | 'exists'>): StoredWatches {
  const table = createTable(state, 'watches')
  let isRead = false
  return {
    async read() {
      const found = await state.read('watches')
      if (!found.ok) return { failure: found.failure }
      const { rows } = found.value
      const values = rows.map(([id, text]): [string, unknown] => [id, JSON.parse(text)])
      const services = values.filter(([id]) => id.startsWith(servicePrefix)).map(([, value]) => value)
      const content = watchesSchema.safeParse({ ...none, ...Object.fromEntries(values), services })
      if (!content.success) return { failure: unreadable }
      table.know(rows)
      isRead = true
      return { content: content.data }
    },

    async write({ services, ...members }) {
      const rows = [
        ...Object.entries(members),
        ...services.map((one) => [`${servicePrefix}${one.environmentId} ${one.service}`, one] as const),
      ]
      const written = await table.write(new Map(rows.map(([id, value]) => [id, JSON.stringify(value)])))
      return written.ok ? null : written.failure
    },

    isUnread: () => !isRead && state.exists(),
  }
}

const unreadable = failure('internal', "Watches and their notices couldn't be read.")
