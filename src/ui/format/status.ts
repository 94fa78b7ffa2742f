import type { DeploymentStatus } from '@contract'

/** How a status looks: its label, the colour of its dot and the dot's shape, so that colour is never the only sign. */
export interface StatusLook {
  label: string
  tone: 'success' | 'warning' | 'danger' | 'neutral'
  shape: 'full' | 'half' | 'ring'
}

/** The looks of a deployment's statuses, and of a revision's where a service has those. */
const looks: Record<DeploymentStatus, StatusLook> & Record<string, StatusLook> = {
  READY: { label: 'Ready', tone: 'success', shape: 'full' },
  AWAITING_DATABASE: { label: 'Awaiting database', tone: 'warning', shape: 'half' },
  UNUSED: { label: 'Unused', tone: 'neutral', shape: 'ring' },
  AWAITING_DELETE: { label: 'Awaiting delete', tone: 'danger', shape: 'half' },
  UNKNOWN: { label: 'Unknown', tone: 'neutral', shape: 'half' },
  CREATING: { label: 'Creating', tone: 'warning', shape: 'half' },
  QUEUED: { label: 'Queued', tone: 'warning', shape: 'ring' },
  AWAITING_BUILD: { label: 'Awaiting build', tone: 'warning', shape: 'ring' },
  BUILDING: { label: 'Building', tone: 'warning', shape: 'half' },
  AWAITING_DEPLOY: { label: 'Awaiting deploy', tone: 'warning', shape: 'half' },
  DEPLOYING: { label: 'Deploying', tone: 'warning', shape: 'half' },
  DEPLOYED: { label: 'Deployed', tone: 'success', shape: 'full' },
  CREATE_FAILED: { label: 'Creation failed', tone: 'danger', shape: 'full' },
  BUILD_FAILED: { label: 'Build failed', tone: 'danger', shape: 'full' },
  DEPLOY_FAILED: { label: 'Deploy failed', tone: 'danger', shape: 'full' },
  SKIPPED: { label: 'Skipped', tone: 'neutral', shape: 'ring' },
  INTERRUPTED: { label: 'Interrupted', tone: 'neutral', shape: 'ring' },
}

/** The look of a status. One that the interface doesn't name is shown as it came; a blank one as "No status". */
export function statusLook(status: string): StatusLook {
  return Object.hasOwn(looks, status)
    ? looks[status]!
    : { label: status.trim() === '' ? 'No status' : status, tone: 'neutral', shape: 'half' }
}
