import type { PageReader } from './page-reader'
import { unwrap } from './retry'
import type { SyncAdapters } from './types'

/** How many identifiers are requested at a time: they must fit into a URL. */
const idsAtATime = 40

/** How often an identifier is requested if its answers aren't credible. */
const mostAttempts = 4

/** How many credible answers must lack a deployment before it counts as gone. */
const neededAnswers = 2

/**
 * Requests the cached deployments that the run hasn't seen, by `deployment_ids`, and marks those as gone that the
 * service doesn't have. Each request also names a deployment that was just seen. An answer without it, or with
 * deployments that weren't requested, proves nothing. Gives how many were marked.
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
    if (unseen.ids.length > 0) gone += await confirm(adapters, reader, unseen.ids, seen)
    after = unseen.after
  }
  return gone
}

async function confirm(
  { store, clock }: SyncAdapters,
  reader: PageReader,
  ids: string[],
  seen: string[],
): Promise<number> {
  let missing = ids
  let answers = 0
  for (let attempt = 0; attempt < mostAttempts && answers < neededAnswers; attempt += 1) {
    const witness = seen[(attempt * 7) % Math.max(seen.length, 1)]
    const sentAt = clock.now()
    const asked = witness === undefined ? missing : [...missing, witness]
    const page = await reader.readByIds(asked)
    const shown = new Set(page.items.map(({ id }) => id))
    missing = missing.filter((id) => !shown.has(id))
    if (missing.length === 0) return 0
    const foreign = page.items.some(({ id }) => !asked.includes(id))
    if (foreign || (witness !== undefined && !shown.has(witness))) continue
    answers += 1
    if (answers === neededAnswers) {
      return unwrap(await store.markGone(missing, { sentAt, receivedAt: clock.now() })).marked
    }
  }
  return 0
}
