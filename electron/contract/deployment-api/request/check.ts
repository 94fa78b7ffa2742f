import { type Finding, quantityOf, type FindingLevel } from './limits'
import {
  type Container,
  type ResourceSpec,
  type Volume,
  type VolumeMount,
  volumeKinds,
  type CreateRequest,
  type Source,
  sourceAvailability,
  sourceLabels,
} from './create-request'
import type { EnvironmentMode } from '../../app/environment'

type Path = Finding['path']

/** Something with a name, and its path. */
interface Named {
  name: string | null | undefined
  path: Path
}

/**
 * Checks the parts of a resource spec against each other: duplicate names, mounts without a volume, containers that
 * request more than their limits. The interface has no rule about these, and a service may add volumes of its own, so
 * every finding is `usual`. The certain rules (requests and limits, minimum and maximum) are in the schema of the
 * resource spec.
 *
 * @param spec may be an unfinished draft: parts without the shape of the request's schema aren't checked
 * @param base the path of the spec in the request
 */
function checkResourceSpec(spec: ResourceSpec, base: Path): Finding[] {
  const volumes = placed(spec.volumes, [...base, 'volumes'])
  const volumeNames = new Set(volumes.flatMap(({ item: { name } }) => (name ? [name] : [])))
  const containers = [
    ...placed(spec.init_containers, [...base, 'init_containers']),
    ...placed(spec.sidecars, [...base, 'sidecars']),
  ]
  return [
    ...twice(names(spec.image_pull_secrets, [...base, 'image_pull_secrets']), 'pull secret'),
    ...twice(names(spec.volumes, [...base, 'volumes']), 'volume'),
    ...volumes.flatMap(checkKinds),
    ...checkMounts(spec.volume_mounts, volumeNames, [...base, 'volume_mounts']),
    // A pod has one set of names for both lists.
    ...twice(
      containers.map(({ item, path }) => ({ name: item.name, path: [...path, 'name'] })),
      'container',
    ),
    ...containers.flatMap(({ item, path }) => checkContainer(item, volumeNames, path)),
  ]
}

const usual = (path: Path, message: string): Finding => ({ level: 'usual', path, message })

function placed<Item>(list: Item[] | null | undefined, base: Path): { item: Item; path: Path }[] {
  if (!Array.isArray(list)) return []
  return list
    .map((item, index) => ({ item, path: [...base, index] }))
    .filter(({ item }) => typeof item === 'object' && item !== null)
}

function names(list: { name?: string | null }[] | null | undefined, base: Path): Named[] {
  return placed(list, base).map(({ item, path }) => ({ name: item.name, path: [...path, 'name'] }))
}

/** A finding for each repeated name. */
function twice(list: Named[], kind: string): Finding[] {
  const seen = new Set<string>()
  return list.flatMap(({ name, path }) => {
    if (!name || typeof name !== 'string') return []
    if (seen.has(name)) return [usual(path, `There is another ${kind} "${name}".`)]
    seen.add(name)
    return []
  })
}

function checkKinds({ item, path }: { item: Volume; path: Path }): Finding[] {
  const kinds = volumeKinds.filter((kind) => item[kind] !== undefined && item[kind] !== null)
  if (kinds.length === 1) return []
  return kinds.length === 0
    ? [usual(path, 'A volume usually has a kind, such as configMap or emptyDir.')]
    : [usual(path, `A volume usually has one kind; this one has ${kinds.join(' and ')}.`)]
}

function checkMounts(
  mounts: VolumeMount[] | null | undefined,
  volumes: ReadonlySet<string>,
  base: Path,
): Finding[] {
  const listed = volumes.size > 0 ? `Available: ${someOf([...volumes])}.` : 'There are none.'
  return [
    ...placed(mounts, base).flatMap(({ item: { name, mountPath, subPath, subPathExpr }, path }) => [
      ...(name && !volumes.has(name)
        ? [usual([...path, 'name'], `No volume named "${name}". ${listed}`)]
        : []),
      ...(mountPath ? [] : [usual([...path, 'mountPath'], 'A volume mount usually has a mount path.')]),
      ...(subPath && subPathExpr
        ? [usual([...path, 'subPathExpr'], 'Only one of subPath and subPathExpr is usually given.')]
        : []),
    ]),
    ...twice(
      placed(mounts, base).map(({ item, path }) => ({ name: item.mountPath, path: [...path, 'mountPath'] })),
      'mount at',
    ),
  ]
}

/** Only the first names if there are many, because each finding lists them. */
function someOf(all: string[]): string {
  const max = 20
  const first = all.slice(0, max).join(', ')
  return all.length > max ? `${first} and ${all.length - max} more` : first
}

function checkContainer(container: Container, volumes: ReadonlySet<string>, path: Path): Finding[] {
  return [
    ...twice(names(container.env, [...path, 'env']), 'variable'),
    ...placed(container.env, [...path, 'env']).flatMap(({ item, path: at }) => {
      if (item.value && item.valueFrom)
        return [usual([...at, 'valueFrom'], 'Only one of value and valueFrom is usually given.')]
      return item.name && !item.value && !item.valueFrom
        ? [usual([...at, 'value'], 'The variable has no value.')]
        : []
    }),
    ...checkQuantities(container, path),
    ...checkMounts(container.volumeMounts, volumes, [...path, 'volumeMounts']),
  ]
}

function checkQuantities({ resources }: Container, path: Path): Finding[] {
  const { requests, limits } = resources ?? {}
  if (typeof requests !== 'object' || typeof limits !== 'object') return []
  return Object.entries(requests ?? {}).flatMap(([name, request]) => {
    const limit = limits?.[name]
    const [requested, allowed] = [quantityOf(request), quantityOf(limit)]
    // A tolerance for rounding, such as 700m against 0.7.
    if (requested === null || allowed === null || requested <= allowed * (1 + 1e-9)) return []
    const words = `${name} asks for more (${String(request)}) than its limit (${String(limit)}).`
    return [usual([...path, 'resources', 'requests'], words)]
  })
}

/** The longest safe names. Those of external images are shorter, because an autoscaler appends a suffix. */
const safeNameLength = { external_docker: 21, other: 63 } as const

const isPresent = (value: unknown): boolean => value !== null && value !== undefined && value !== ''

/**
 * Checks the rules of a creation that depend on its source, the environment's mode, or several members. The request
 * must have the shape of `createRequestSchema`. Returns all findings, certain ones first.
 */
export function checkRequest(request: CreateRequest, mode: EnvironmentMode): Finding[] {
  const findings = [
    ...checkAvailability(request, mode),
    ...checkRequirements(request),
    ...checkBuildOnPush(request),
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

/** The members that a source needs. */
const requirements: Partial<Record<Source, [level: FindingLevel, ...path: string[]][]>> = {
  repohost: [
    ['required', 'source_config', 'integration_id'],
    ['required', 'source_config', 'repo_url'],
    ['required', 'source_revision_config', 'repo_ref'],
    ['required', 'source_revision_config', 'graph_config_path'],
  ],
  external_docker: [
    ['required', 'source_revision_config', 'image_uri'],
    ['required', 'source_config', 'resource_spec'],
    ['usual', 'source_config', 'listener_id'],
    ['usual', 'source_config', 'listener_config', 'k8s_namespace'],
  ],
}

function checkRequirements(request: CreateRequest): Finding[] {
  const { source, source_config } = request
  const findings = (requirements[source] ?? []).flatMap(([level, ...path]): Finding[] => {
    if (isPresent(path.reduce((holder: unknown, name) => memberOf(holder, name), request))) return []
    const need = level === 'required' ? 'is required' : 'is usually given'
    return [{ level, path, message: `${path.join('.')} ${need} for source "${source}".` }]
  })
  if (source !== 'external_docker' && isPresent(source_config.custom_url)) {
    findings.push({
      level: 'required',
      path: ['source_config', 'custom_url'],
      message: `A custom URL can be set only for source "${sourceLabels.external_docker}".`,
    })
  }
  return findings
}

const memberOf = (holder: unknown, name: string): unknown =>
  (holder as Record<string, unknown> | null | undefined)?.[name]

/** What is wrong with building a ref on each push. */
export function checkBuildOnPush({
  source_config,
  source_revision_config,
}: {
  source_config: { build_on_push?: boolean | null | undefined }
  source_revision_config: { repo_ref?: string | null | undefined }
}): Finding[] {
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
