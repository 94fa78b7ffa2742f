import { type CreateRequest, replaceUrlCredentials, urlCredentialsIn } from '@contract'
import { type Path, valueAt } from '../text/json-path'

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
