import type { CreateRequest } from '@contract'

/** Replaces a secret's value wherever a request is shown. It doesn't show the value's length. */
export const mask = '••••••••'

/** A request for display: all values of secrets are masked. */
export function masked(request: CreateRequest): CreateRequest {
  return {
    ...request,
    secrets: request.secrets.map((secret) => ({ ...secret, value: secret.value === '' ? '' : mask })),
  }
}
