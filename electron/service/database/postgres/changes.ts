import type { PoolClient } from 'pg'
import type { DeploymentAnswer } from '../../api/schemas'
import type { AuditEntry } from '../../base/audit-entry'
import { type PendingRow, pendingOf, type RevisionRow, revisionOf } from '../revision-rows'
import type { Change, Decide, RevisionTimes } from '../store'
import { entryColumns, insertEntries } from './audit'
import {
  type DeploymentRow,
  documentOf,
  foundOf,
  lockDeployment,
  rewriteDeployment,
  selectLocked,
} from './deployments'
import { addRevision, moveRevision, selectPending, selectRevision } from './revisions'

interface HeldRow extends DeploymentRow {
  gone_at: Date | null
}

/**
 * Changes a deployment and adds its entry, in one transaction. Other changes of it, and the end of its provisioning,
 * wait or skip it. Gives null if there is no such deployment.
 *
 * @param target the time of the change (ISO 8601), the deployment, and its tenant: null for that of the installation
 */
export async function changeDeployment<Result>(
  client: PoolClient,
  target: [now: string, id: string, tenantId: string | null],
  revisionId: string | null,
  decide: Decide<Result>,
  entry: AuditEntry,
): Promise<{ change: Change | null; result: Result } | null> {
  const locked = await client.query<{ sequence: string }>({ ...lockDeployment, values: target })
  if (locked.rows.length === 0) return null
  // The statement that waited for the lock doesn't see the revisions that the previous holder made.
  const held = await client.query<HeldRow>({ ...selectLocked, values: [target[0], locked.rows[0]!.sequence] })
  const row = held.rows[0]!
  const revision =
    revisionId === null
      ? undefined
      : (await client.query<RevisionRow>({ ...selectRevision, values: [...target, revisionId] })).rows[0]
  const pending = await client.query<PendingRow>({ ...selectPending, values: target })
  const decided = decide({
    answer: JSON.parse(foundOf(row).document!) as DeploymentAnswer,
    goneAt: row.gone_at?.toISOString() ?? null,
    revision: revision === undefined ? null : revisionOf(revision),
    pending: pending.rows.map(pendingOf),
  })
  if (decided.change === null) return decided
  await write(client, row.sequence, decided.change, target[0])
  await client.query({ ...insertEntries, values: entryColumns([entry]) })
  return decided
}

async function write(client: PoolClient, sequence: string, change: Change, now: string): Promise<void> {
  const { answer, readyAt, goneAt, added } = change
  const members = [answer.status, answer.updated_at, readyAt, goneAt, answer.latest_revision_id]
  const values = [sequence, ...members, answer.active_revision_id, documentOf(answer)]
  await client.query({ ...rewriteDeployment, values })
  for (const revision of change.moved ?? []) {
    await client.query({ ...moveRevision, values: [sequence, revision.id, ...timesOf(revision)] })
  }
  if (added === undefined) return
  const made = [sequence, added.id, now, ...timesOf(added), JSON.stringify(added.config)]
  await client.query({ ...addRevision, values: made })
}

function timesOf({ startsAt, endsAt, interruptedAt }: RevisionTimes): (number | null)[] {
  return [startsAt, endsAt, interruptedAt]
}
