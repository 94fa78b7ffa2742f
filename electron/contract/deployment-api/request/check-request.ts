import type { EnvironmentMode } from '../../core/mode'
import { checkResourceSpec } from './check-resource-spec'
import type { CreateRequest } from './create-request'
import type { Finding, FindingLevel } from './finding'
import { sourceAvailability, sourceLabels } from './source'

/** The longest safe names. Those of external images are shorter, because an autoscaler appends a suffix. */
const safeNameLength = { external_docker: 21, other: 63 } as const

const isPresent = (value: string | null | undefined): boolean =>
  value !== null && value !== undefined && value !== ''

/**
 * Checks the rules of a creation that depend on its source, the environment's mode, or several members. The request
 * must have the shape of `createRequestSchema`. Returns all findings, certain ones first.
 */
export function checkRequest(request: CreateRequest, mode: EnvironmentMode): Finding[] {
  const findings = [
    ...checkAvailability(request, mode),
    ...checkRequirements(request),
    ...checkRepository(request),
    ...checkName(request),
    ...checkResourceSpec(request.source_config.resource_spec ?? {}, ['source_config', 'resource_spec']),
  ]
  const order: FindingLevel[] = ['certain', 'required', 'usual']
  return findings.sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}

function checkAvailability(request: CreateRequest, mode: EnvironmentMode): Finding[] {
  const findings: Finding[] = []
  const availability = sourceAvailability(request.source, mode)
  if (!availability.available) {
    findings.push({ level: 'certain', path: ['source'], message: availability.reason })
  }
  if (request.source !== 'external_docker' && (request.secret_references ?? []).length > 0) {
    findings.push({
      level: 'certain',
      path: ['secret_references'],
      message: `Secret references apply only to source "${sourceLabels.external_docker}".`,
    })
  }
  return findings
}

function checkRequirements({ source, source_config, source_revision_config }: CreateRequest): Finding[] {
  const findings: Finding[] = []
  const require = (level: FindingLevel, path: string[], present: boolean): void => {
    const need = level === 'required' ? 'is required' : 'is usually given'
    if (!present) findings.push({ level, path, message: `${path.join('.')} ${need} for source "${source}".` })
  }
  if (source === 'repohost') {
    require('required', ['source_config', 'integration_id'], isPresent(source_config.integration_id))
    require('required', ['source_config', 'repo_url'], isPresent(source_config.repo_url))
    require('required', ['source_revision_config', 'repo_ref'], isPresent(source_revision_config.repo_ref))
    require('required', ['source_revision_config', 'graph_config_path'], isPresent(
      source_revision_config.graph_config_path,
    ))
  }
  if (source === 'external_docker') {
    require('required', ['source_revision_config', 'image_uri'], isPresent(source_revision_config.image_uri))
    require('required', ['source_config', 'resource_spec'], Boolean(source_config.resource_spec))
    require('usual', ['source_config', 'listener_id'], isPresent(source_config.listener_id))
    require('usual', ['source_config', 'listener_config', 'k8s_namespace'], isPresent(
      source_config.listener_config?.k8s_namespace,
    ))
  } else if (isPresent(source_config.custom_url)) {
    findings.push({
      level: 'required',
      path: ['source_config', 'custom_url'],
      message: `A custom URL can be set only for source "${sourceLabels.external_docker}".`,
    })
  }
  return findings
}

function checkRepository({ source_config, source_revision_config }: CreateRequest): Finding[] {
  if (source_config.build_on_push && source_revision_config.repo_ref?.startsWith('refs/tags/')) {
    return [
      {
        level: 'required',
        path: ['source_config', 'build_on_push'],
        message: 'Turn off "Build on push" or enter a branch: a tag is never pushed to.',
      },
    ]
  }
  return []
}

function checkName({ name, source }: CreateRequest): Finding[] {
  const longest = source === 'external_docker' ? safeNameLength.external_docker : safeNameLength.other
  const findings: Finding[] = []
  if (!/^[a-z][a-z0-9-]*$/.test(name)) {
    findings.push({
      level: 'usual',
      path: ['name'],
      message: 'Safe names begin with a letter and have only lowercase letters, digits and hyphens.',
    })
  }
  if (name.length > longest) {
    findings.push({
      level: 'usual',
      path: ['name'],
      message: `Names of up to ${longest} characters are safe for source "${sourceLabels[source]}"; this one has ${name.length}.`,
    })
  }
  return findings
}
