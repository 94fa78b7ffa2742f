import { join } from 'node:path'
import type { CreationEntry, StoredCreation } from '@contract'
import { expect, it } from 'vitest'
import {
  createSentTo,
  identitiesOf,
  whereFound,
} from '../../../../../../../electron/main/features/deployments/attempts/sent-to'
import type { Destination } from '../../../../../../../electron/main/environments/model/types'
import type { HttpTarget } from '../../../../../../../electron/main/http/types'
import { createJournal, type Journal } from '../../../../../../../electron/main/stored/journal'
import { JournalFile } from '../../../../../../../electron/main/stored/journal/file/journal-file'
import { LineEncryption } from '../../../../../../../electron/main/stored/journal/file/line-encryption'
import { temporaryFolder } from '../../../../../../support/temporary-folder'

const first: HttpTarget = {
  environmentId: 'e1',
  baseUrl: 'https://deploy.example.com',
  headers: { 'X-Api-Key': 'one' },
}
const environment = (target: HttpTarget) =>
  ({ id: 'e1', name: 'Production', mode: 'cloud', protected: false, readOnly: false, target }) as const

/** An attempt that was sent to the first target, and a journal that was opened again since. */
async function reopened(): Promise<{
  says: (target: HttpTarget | null) => Promise<CreationEntry['sentTo']>
  journal: Journal
}> {
  const folder = temporaryFolder()
  let now: Destination | null = null
  const open = (): Journal =>
    createJournal(
      new JournalFile(
        join(folder, 'journal.jsonl'),
        new LineEncryption(() => Promise.resolve('5a'.repeat(32))),
      ),
      { changed: () => undefined, report: () => undefined },
      createSentTo({ destination: (id) => (id === 'e1' ? now : null) }),
    )
  const fingerprint = { salt: 'salt', members: {}, secretNames: null }
  const before = open()
  const id = await before.beginCreation(
    { environmentId: 'e1', environmentName: 'Production' },
    {
      name: 'agent',
      source: 'internal_docker',
      ...identitiesOf(environment(first), fingerprint),
      before: [],
      startedAtService: null,
    },
  )
  await before.endCreation(id, { state: 'created', deploymentId: 'd1' })
  const journal = open()
  return {
    journal,
    says: async (target) => {
      now = target && { id: 'e1', name: 'Production', target, service: JSON.stringify(target) }
      const [entry] = await journal.list(1)
      return entry?.kind === 'creation' ? entry.sentTo : undefined
    },
  }
}

it('says after a restart whether the environment leads to where an attempt was sent', async () => {
  const { says } = await reopened()
  expect(await says(first)).toBe(JSON.stringify(first))
  const edits: Partial<HttpTarget>[] = [
    { baseUrl: 'https://other.example.com' },
    { headers: { 'X-Api-Key': 'two' } },
    { network: { trust: { kind: 'system' }, proxy: { mode: 'none' } } },
  ]
  for (const edit of edits) expect(await says({ ...first, ...edit })).toBeNull()
  expect(await says(first), 'edited back').toBe(JSON.stringify(first))
  expect(await says(null), 'its profile is unknown').toBeUndefined()
})

it('says nothing about an attempt of a version that stored less', () => {
  const sentTo = createSentTo({ destination: () => ({ ...environment(first), service: 'now' }) })
  const known = identitiesOf(environment(first), { salt: 'salt', members: {}, secretNames: null })
  const attempt = { environmentId: 'e1', ...known } as StoredCreation
  expect(sentTo({ ...attempt })).toBe('now')
  expect(sentTo({ ...attempt, headersIdentity: null })).toBeUndefined()
  expect(sentTo({ ...attempt, serviceIdentity: null })).toBeUndefined()
  expect(sentTo({ ...attempt, serviceIdentity: 'another', headersIdentity: null })).toBeNull()
})

it.each([null, { salt: 'kept', members: {}, secretNames: null }])(
  'treats an attempt as sent to where the operator found its deployment: fingerprint %j',
  (fingerprint) => {
    const target = { ...first, headers: { 'X-Api-Key': 'renewed' } }
    const sentTo = createSentTo({ destination: () => ({ ...environment(target), service: 'now' }) })
    const attempt = {
      environmentId: 'e1',
      ...identitiesOf(environment(first), fingerprint ?? { salt: '', members: {}, secretNames: null }),
      fingerprint,
    } as StoredCreation
    expect(sentTo({ ...attempt })).not.toBe('now')
    expect(sentTo({ ...attempt, ...whereFound(environment(target), attempt) })).toBe('now')
  },
)
