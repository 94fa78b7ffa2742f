import type { DeploymentStatus } from '@contract'

/** How a status looks: its label, the colour of its dot and the dot's shape, so that colour is never the only sign. */
export interface StatusLook {
  label: string
  tone: 'success' | 'warning' | 'danger' | 'neutral'
  shape: 'full' | 'half' | 'ring'
}

const looks: Record<DeploymentStatus, StatusLook> = {
  READY: { label: 'Ready', tone: 'success', shape: 'full' },
  AWAITING_DATABASE: { label: 'Awaiting database', tone: 'warning', shape: 'half' },
  UNUSED: { label: 'Unused', tone: 'neutral', shape: 'ring' },
  AWAITING_DELETE: { label: 'Awaiting delete', tone: 'danger', shape: 'half' },
  UNKNOWN: { label: 'Unknown', tone: 'neutral', shape: 'half' },
}

/** The look of a status. One that the interface doesn't name is shown as it came; a blank one as "No status". */
export function statusLook(status: string): StatusLook {
  return Object.hasOwn(looks, status)
    ? looks[status as DeploymentStatus]
    : { label: status.trim() === '' ? 'No status' : status, tone: 'neutral', shape: 'half' }
}
