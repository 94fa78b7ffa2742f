import type { CreateRequest } from '@contract'

/** Replaces a secret's value wherever a request is shown. It doesn't reveal the value's length. */
export const mask = '••••••••'

/** A request for display, with all values of secrets masked. */
export function masked(request: CreateRequest): CreateRequest {
  return {
    ...request,
    secrets: request.secrets.map((secret) => ({ ...secret, value: secret.value === '' ? '' : mask })),
  }
}
