import type { ChangePeriod } from '@contract/ipc/screens'
import type { FailedRevision } from '@contract/life/revisions'
import type { DeploymentReason } from '@domain/attention'
import { statusLook } from '@/format/deployment/status'
import type { EnvironmentOverview } from '@/stores/overview'

/** Why something needs attention. */
export interface AttentionReason {
  label: string
  tone: 'danger' | 'warning' | 'neutral'
}

/** Why a deployment needs attention: its status, if that is the reason. */
export function deploymentReasonLabel(reason: DeploymentReason, status: string): AttentionReason {
  const { label } = statusLook(status)
  switch (reason) {
    case 'rolling-out':
      return { label: 'Rolling out', tone: 'warning' }
    case 'awaiting':
      return { label, tone: 'warning' }
    case 'unknown-status':
      return { label: status === 'UNKNOWN' ? 'Status unknown' : `Unknown status: ${label}`, tone: 'neutral' }
  }
}

/** Why a deployment needs attention whose latest revision failed. */
export const failedReason = ({ status, message }: FailedRevision): AttentionReason => ({
  label: [statusLook(status).label, message].filter(Boolean).join(': '),
  tone: 'danger',
})

/** How a service answered, in words. `since` is the word before the time. */
export const reachLabels: Record<
  EnvironmentOverview['reach']['state'],
  { label: string; since: string; dot: string }
> = {
  reached: { label: 'Reached', since: '', dot: 'is-success is-full' },
  failing: { label: 'Answers errors', since: 'since', dot: 'is-danger is-half' },
  denied: { label: 'Access denied', since: 'since', dot: 'is-danger is-full' },
  unreached: { label: 'Not reached', since: 'since', dot: 'is-danger is-half' },
  unknown: { label: 'Not asked yet', since: '', dot: '' },
}

/** The periods of changes. */
export const periodLabels: Record<ChangePeriod, string> = {
  last: 'Since last time',
  day: '24 hours',
  week: '7 days',
}
