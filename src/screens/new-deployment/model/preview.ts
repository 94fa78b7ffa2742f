import type { CreateRequest } from '@contract'
import { writeJson } from './json-text'

/** Stands for a secret value wherever a request is shown. It does not tell the value's length. */
export const mask = '••••••••'

/** The request as JSON for people to read: every secret value that is filled in is masked. */
export function previewOf(request: CreateRequest): string {
  const secrets = request.secrets.map(({ name, value }) => ({ name, value: value === '' ? '' : mask }))
  return writeJson({ ...request, secrets })
}
