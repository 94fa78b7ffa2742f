import type { PageReader } from './page-reader'
import { unwrap } from './retry'
import type { SyncAdapters } from './types'

/** How many identifiers are requested at a time: they must fit into a URL. */
const idsAtATime = 40

/** How often an identifier is requested if its answers aren't credible. */
const maxAttempts = 4

/** How many credible answers must lack a deployment before it counts as gone. */
const neededAnswers = 2

/**
 * Requests the cached deployments that the run hasn't seen, by `deployment_ids`, and marks those as gone that the
 * service doesn't have. Each request also names a deployment that was just seen, the witness. An answer proves nothing
 * if it lacks the witness, has deployments that weren't requested, or may have had no room for more. A request without
 * the witness must give an empty answer. Stops at a service whose answers prove nothing. Gives how many were marked.
 */
export async function confirmDeletions(
  adapters: SyncAdapters,
  reader: PageReader,
  run: number,
  seen: string[],
): Promise<number> {
  let gone = 0
  for (let after: number | null = 0; after !== null;) {
    const unseen: { ids: string[]; after: number | null } = unwrap(
      await adapters.store.unseen(run, after, idsAtATime),
    )
    const marked = unseen.ids.length > 0 ? await confirm(adapters, reader, unseen.ids, seen) : 0
    if (marked === null) break
    gone += marked
    after = unseen.after
  }
  return gone
}

async function confirm(
  { store, clock }: SyncAdapters,
  reader: PageReader,
  ids: string[],
  seen: string[],
): Promise<number | null> {
  let missing = ids
  let answers = 0
  for (let attempt = 0; attempt < maxAttempts;) {
    const witness = seen[(attempt * 7) % Math.max(seen.length, 1)]
    const sentAt = clock.now()
    const requestedIds = witness === undefined ? missing : [...missing, witness]
    const page = await reader.readByIds(requestedIds)
    // The witness may leave no room for another.
    const alone = await reader.readByIds(missing)
    const shown = new Set([...page.items, ...alone.items].map(({ id }) => id))
    const rest = missing.filter((id) => !shown.has(id))
    if (rest.length === 0) return 0
    if (rest.length < missing.length) {
      // The other missing ones may not have fitted into the answer.
      missing = rest
      answers = 0
      continue
    }
    attempt += 1
    const foreign = page.items.some(({ id }) => !requestedIds.includes(id))
    if (foreign || alone.received > 0 || (witness !== undefined && !shown.has(witness))) continue
    answers += 1
    if (answers === neededAnswers) {
      return unwrap(await store.markGone(missing, { sentAt, receivedAt: clock.now() })).marked
    }
  }
  return answers === 0 ? null : 0
}
