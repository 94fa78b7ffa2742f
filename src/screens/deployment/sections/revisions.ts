import type { LifeOperation, Offers } from '@contract/life/offers'
import type { Revision } from '@contract/life/revisions'

/** What a revision runs, in one line: its image, or its ref and commit. */
export function runsOf({ source_revision_config: config }: Pick<Revision, 'source_revision_config'>): string {
  const { image_uri, repo_ref, repo_commit_sha, source_tarball_path } = config
  const code = [repo_ref, repo_commit_sha?.slice(0, 12)].filter(Boolean).join(' ')
  return image_uri ?? (code || source_tarball_path || 'not said')
}

const operationNames: Record<LifeOperation, string> = {
  revisions: 'revisions',
  logs: 'logs',
  change: 'change',
  'new-revision': 'new revision',
  redeploy: 'redeploy',
  interrupt: 'interrupt',
  delete: 'delete',
  'delete-many': 'delete several',
  integrations: 'integrations',
  listeners: 'listeners',
}

/** What a service offers, and how that is known, in a sentence. */
export function offersText({ operations, from }: Offers): string {
  const names = ['list', 'create', ...operations.map((one) => operationNames[one])]
  const known = from === 'document' ? 'as its own document says' : 'as far as requests that only read show'
  return `This service offers: ${names.join(', ')} (${known}).`
}
