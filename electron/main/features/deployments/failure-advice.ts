import type { AdviceFor } from '../../http/failures'

/** Advice for statuses with a special meaning in the deployment service. */
const advice: Record<number, string> = {
  409: 'Choose another name: a deployment, or the tracing project of an earlier one, may still use this one.',
  413: 'Shorten the resource spec, the secrets or the filters.',
}

/** Advice that the interface of the deployment service has for a refusal. */
export const adviceFor: AdviceFor = (status, text) =>
  status === 403 && /workspace specification/i.test(text)
    ? 'The header X-Tenant-Id, which names the workspace, is missing. Add it to the environment.'
    : (advice[status] ?? null)
