import type { ServiceInterface } from '../../http/failures'

/** Advice for statuses with a special meaning in the deployment service. */
const advice: Record<number, string> = {
  409: 'Choose another name: a deployment, or the tracing project of an earlier one, may still use this one.',
  413: 'Shorten the resource spec, the secrets or the filters.',
}

/** What the HTTP client needs to know about the interface of the deployment service. */
export const deploymentService: ServiceInterface = {
  adviceFor(status, text) {
    if (status === 403 && /workspace specification/i.test(text)) {
      return 'The header X-Tenant-Id, which names the workspace, is missing. Add it to the environment.'
    }
    return advice[status] ?? null
  },
}
