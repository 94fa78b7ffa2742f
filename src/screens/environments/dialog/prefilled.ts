import { type Environment, type EnvironmentView, foldName, type TrustView } from '@contract'
import type { OpenedEnvironments } from '@contract/app/environment-file'
import { freeName } from '@/domain/text/free-name'
import { lookAlike } from '@/domain/text/look-alike'
import { draftOfProfile, type EnvironmentDraft } from './draft'

/** A prefilled draft of a new environment, and what the operator has to know about it. */
export interface PrefilledDraft {
  draft: EnvironmentDraft
  notes: string[]
}

/**
 * A copy of an environment under a free name. It has the names of the request headers, but not their values, the
 * proxy's password or an exactly trusted certificate: the main process uses those only for the environment they were
 * entered for. Null if the profile can't be read.
 */
export function duplicateOf(
  { name, profile }: Environment,
  environments: readonly Environment[],
): PrefilledDraft | null {
  if (!profile) return null
  const notes = [`Copied from ${name}. ${secretsNote(profile, "aren't copied")}`.trim()]
  if (profile.trust.kind === 'exact')
    notes.push("The trusted certificate isn't copied. Check the connection to review it.")
  const copyName = freeName(
    name,
    (one) => isTaken(one, environments),
    (number) => (number === 1 ? ' copy' : ` copy ${number}`),
  )
  return { draft: withoutSecrets(copyName, profile), notes }
}

/** An environment from a file. The operator decides whether its service, proxy and CA may get their secrets. */
export function importedFrom(
  fileName: string,
  { name, profile }: OpenedEnvironments['environments'][number],
  environments: readonly Environment[],
): PrefilledDraft {
  const notes = [
    `From ${fileName}. Check the base URL: everything that you enter here is sent there. ${secretsNote(profile, "aren't in the file")}`.trim(),
  ]
  if (isTaken(name, environments))
    notes.push(`You already have an environment named ${name}. Change the name.`)
  const alike = alikeName(name, environments)
  if (alike !== null) notes.push(`This name can be taken for ${alike}, which you have. Change the name.`)
  if (profile.trust.kind !== 'system') notes.push('The file brings its own CA certificate. Check it below.')
  if (profile.proxy.mode !== 'system') notes.push('The file sets the proxy. Check it below.')
  return { draft: withoutSecrets(name, profile), notes }
}

/** Whether an environment has this name, or one that looks the same. */
export function isTaken(name: string, environments: readonly Environment[]): boolean {
  return environments.some((one) => foldName(one.name) === foldName(name))
}

/** The name of an environment that `name` can be taken for, such as one in letters of another alphabet; null for none. */
export const alikeName = (name: string, environments: readonly Environment[]): string | null =>
  lookAlike(
    name,
    environments.map((one) => one.name),
  )

/** The text that says which secrets have to be entered; empty if there are none. */
function secretsNote({ headerNames, proxy }: EnvironmentView, why: string): string {
  const needed = [
    ...(headerNames.length > 0 ? ['the values of the request headers'] : []),
    ...(proxy.mode === 'manual' && proxy.userName !== null ? ['the password of the proxy'] : []),
  ]
  return needed.length === 0 ? '' : `Enter ${needed.join(' and ')}: secrets ${why}.`
}

/** A draft of a new environment with the known parts of a profile, without secrets. */
function withoutSecrets(name: string, profile: EnvironmentView): EnvironmentDraft {
  const draft = draftOfProfile({ id: null, name }, { ...profile, trust: withoutExact(profile.trust) })
  return {
    ...draft,
    headers: draft.headers.map((header) => ({ ...header, stored: false })),
    proxy: { ...draft.proxy, passwordStored: false },
  }
}

const withoutExact = (trust: TrustView): TrustView => (trust.kind === 'exact' ? { kind: 'system' } : trust)
