import type { CreateRequest } from '@contract'

/** Stands for a secret value wherever a request is shown. It does not tell the value's length. */
export const mask = '••••••••'

/** The request as people read it: every secret value that is filled in is masked. */
export function masked(request: CreateRequest): CreateRequest {
  return {
    ...request,
    secrets: request.secrets.map((secret) => ({ ...secret, value: secret.value === '' ? '' : mask })),
  }
}
