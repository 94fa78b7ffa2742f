import { type CreateRequest, replaceUrlCredentials, urlCredentialsIn } from '@contract'
import { trimBlanks } from '@contract/core/text'
import { type Path, valueAt } from '@/ui/format/json-path'
import { wantedAt } from './wanted'

/** Replaces a secret's value wherever a request is shown. It doesn't reveal the value's length. */
export const mask = '••••••••'

/** A request for display, with all values of secrets masked, and the credentials in its URLs. */
export function masked(request: CreateRequest): CreateRequest {
  return {
    ...eachText(request, maskedUrls),
    secrets: request.secrets.map((secret) => ({ ...secret, value: secret.value === '' ? '' : mask })),
  }
}

/** A text for display, with the credentials in its URLs masked. */
export const maskedUrls = (text: string): string => replaceUrlCredentials(text, () => mask)

/** A request for a file: without values of secrets and without the credentials in its URLs. */
export function withoutSecretValues(request: CreateRequest): CreateRequest {
  return {
    ...eachText(request, (text) => withoutMask(maskedUrls(text))),
    secrets: request.secrets.map((secret) => ({ ...secret, value: '' })),
  }
}

/** A text without masks in its URLs. */
const withoutMask = (text: string): string => text.replaceAll(`//${mask}@`, '//').replaceAll(mask, '')

/** A value with each of its texts changed. */
export function eachText<T>(value: T, change: (text: string, path: Path) => string, path: Path = []): T {
  if (typeof value === 'string') return change(value, path) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return value.map((item: unknown, index) => eachText(item, change, [...path, index])) as T
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => [
    name,
    eachText(member, change, [...path, name]),
  ])
  return Object.fromEntries(members) as T
}

/**
 * A request as it was typed, with the credentials of `before` in place of the masks in its URLs, and the paths of masks
 * that stand for none.
 */
export function unmaskedUrls<T>(typed: T, before: unknown): { request: T; unknown: Path[] } {
  const unknown: Path[] = []
  const request = eachText(typed, (text, path) => {
    if (!text.includes(mask) || path[0] === 'secrets') return text
    const now = valueAt(before, path)
    const known = typeof now === 'string' ? urlCredentialsIn(now) : []
    if (known.length !== text.split(mask).length - 1) {
      unknown.push(path)
      return text
    }
    return known.reduce((rest, credential) => rest.replace(mask, () => credential.text), text)
  })
  return { request, unknown }
}

/** Texts that may begin or end with a blank on purpose, by the member that they are in. */
const anyText = ['value', 'values', 'command', 'args', 'annotations', 'volumeAttributes']

function mayHaveBlanks(path: Path): boolean {
  const names = path.filter((part) => typeof part === 'string')
  return wantedAt(path) !== 'text' || names.slice(-2).some((name) => anyText.includes(name))
}

/** The text of a member, without blanks at its ends if it can't be meant to have any. */
export function textAt(path: Path, text: string): string {
  const trimmed = trimBlanks(text)
  return trimmed === text || mayHaveBlanks(path) ? text : trimmed
}

/** A request, or a part of it at `path`, without blanks at the ends of texts and names that can't be meant to have any. */
export function withoutBlanks<T>(value: T, path: Path = []): T {
  if (typeof value === 'string') return textAt(path, value) as T
  if (Array.isArray(value))
    return value.map((item: unknown, index) => withoutBlanks(item, [...path, index])) as T
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => [
    trimBlanks(name),
    withoutBlanks(member, [...path, name]),
  ])
  return Object.fromEntries(members) as T
}

/** The texts of a request that begin or end with a blank. Line breaks at the end of several lines don't count. */
export function withBlanks(value: unknown, path: Path = []): { path: Path; at: 'Begins' | 'Ends' }[] {
  if (typeof value === 'string') {
    const text = value.includes('\n', 1) && path[0] !== 'secrets' ? value.replace(/\n+$/, '') : value
    const trimmed = trimBlanks(text)
    if (trimmed === text || trimmed === '') return []
    return [{ path, at: text.endsWith(trimmed) ? 'Begins' : 'Ends' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    withBlanks(member, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}
