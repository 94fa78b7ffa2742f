import { type DeploymentSection, deploymentSections } from '@contract/core/app-link'

const labels: Record<DeploymentSection, string> = {
  overview: 'Overview',
  revisions: 'Revisions',
  logs: 'Logs',
  history: 'History',
  resources: 'Resources',
  json: 'JSON',
}

/** The sections of a deployment's page, in the order of their tabs. */
export const sections = deploymentSections.map((id) => ({ id, label: labels[id] }))

/** The section that a URL names; the first one if it names none. */
export const sectionOf = (named: unknown): DeploymentSection =>
  deploymentSections.find((id) => id === named) ?? 'overview'

/** The query that names a section in a URL. The first one isn't named. */
export const sectionQuery = (id: DeploymentSection): { section?: DeploymentSection } =>
  id === 'overview' ? {} : { section: id }
