import { type CreateRequest, urlCredentialsIn } from '@contract'
import type { DraftFinding } from './finding'
import { eachText } from '../mask-secrets'

/**
 * Checks a request for passwords and tokens in its URLs, which everyone reads who can see the deployment. In the
 * repository URL and other fields of the source, they are sent only on request.
 */
export function checkUrlCredentials(request: CreateRequest): DraftFinding[] {
  const findings: DraftFinding[] = []
  eachText(request, (text, path) => {
    const found = path[0] === 'secrets' ? [] : urlCredentialsIn(text)
    if (found.length === 0) return text
    const isCertain = found.some((credential) => credential.isCertain)
    const instead =
      path.at(-1) === 'repo_url' ? 'Take it out: an integration gives access.' : 'Use a secret instead.'
    findings.push({
      severity: 'warning',
      level: isCertain && !path.includes('resource_spec') ? 'required' : 'usual',
      path,
      message: isCertain
        ? `The URL has a password or token, which everyone reads who can see the deployment. ${instead}`
        : `The URL has a user name. If it is a token, take it out: everyone reads it who can see the deployment.`,
    })
    return text
  })
  return findings
}
