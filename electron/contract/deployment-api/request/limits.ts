// Free of schemas, for processes that check no requests: creating the request's schemas takes longer than creating all
// others that a cache needs.

import type { FieldIssue } from '../../core/outcome'

/**
 * How long the name of a deployment may be. The interface states no limit, but Kubernetes names have at most 253
 * characters, and the journal keeps the names of unconfirmed attempts permanently.
 */
export const longestDeploymentName = 1_000

/**
 * Limits for the secrets of a request. The interface states none, but each secret becomes an environment variable,
 * which has at most 128 KiB on Linux, and a Kubernetes Secret has at most 1 MiB.
 */
export const secretLimits = { count: 1_000, valueLength: 131_072, allValuesLength: 1_048_576 } as const

export const tooManySecrets = 'Use at most 1,000 secrets.'

/**
 * How certain a finding is:
 * - `certain`: the interface says so. The form doesn't send the request, and the service refuses it.
 * - `required`: services have refused it. The form warns, and the built-in service refuses it.
 * - `usual`: it is only unusual. The form warns, and the built-in service accepts it.
 */
export type FindingLevel = 'certain' | 'required' | 'usual'

/** One thing to fix or to know about a request. `path` leads to its member. */
export interface Finding extends FieldIssue {
  level: FindingLevel
}

/**
 * Fixed values of the built-in service's sample data: identifiers that no answer contains, or that the application
 * offers before it has listed anything.
 */

/** The integration of the sample repositories. */
export const sampleIntegrationId = '5a3c1f0e-7b64-4d29-9c1a-2f6e8d40b713'

/** Tag values of sample deployments, for the list's filter `tag_value_ids`. */
export const sampleTagValueIds = {
  production: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d01',
  staging: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d02',
  experiment: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d03',
  customerFacing: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d04',
  internalOnly: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d05',
} as const

/** A tracing project whose deployment is gone. Its name is taken although no deployment has it. */
export const sampleLeftoverTracingProject = 'retired-support-triage'

/** The factors of the suffixes of Kubernetes quantities. */
const factors = new Map(
  Object.entries({
    n: 1e-9,
    u: 1e-6,
    m: 1e-3,
    '': 1,
    k: 1e3,
    M: 1e6,
    G: 1e9,
    T: 1e12,
    P: 1e15,
    E: 1e18,
    Ki: 2 ** 10,
    Mi: 2 ** 20,
    Gi: 2 ** 30,
    Ti: 2 ** 40,
    Pi: 2 ** 50,
    Ei: 2 ** 60,
  }),
)

/**
 * The number that a text for a number of the resource spec stands for, as manifests and other tools write it: `500m`
 * cores, `2Gi` or `512MB` of memory; null if it is none, or not whole where the member has to be.
 *
 * @param member a numeric member, such as `cpu` or `queue_memory_mb`; its ending says its unit
 */
export function numberMeant(member: string, text: string): number | null {
  const [, amount = '', suffix = ''] = /^\s*([\d.eE+]+?)\s*([A-Za-z]*)\s*$/.exec(text) ?? []
  const isMemory = member.includes('memory') || member.includes('storage')
  const unit = isMemory
    ? suffix.replace(/^([kmgtp]i?)?b$/i, '$1').replace(/^[mgtp]/, (sign) => sign.toUpperCase())
    : suffix
  const value = quantityOf(amount + unit)
  if (value === null) return null
  const isBinary = unit.endsWith('i')
  const [mega, giga] = isBinary ? [2 ** 20, 2 ** 30] : [1e6, 1e9]
  const number = !isMemory || unit === '' ? value : value / (member.includes('storage') ? giga : mega)
  const rounded = Math.round(number * 1000) / 1000
  return member.includes('cpu') || (Number.isInteger(rounded) && (rounded > 0 || value === 0))
    ? rounded
    : null
}

/** The amount of a Kubernetes quantity such as `200m`, `1.5Gi` or `2`; null if it isn't one. */
export function quantityOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const [, number, suffix] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(value) ?? []
  const factor = factors.get(suffix ?? '')
  return number === undefined || factor === undefined ? null : Number(number) * factor
}

/**
 * Exit codes of the built-in service when it can't start. The service's `Refusal` explains the reasons. The code for
 * damaged data is EX_DATAERR of sysexits.h, which Node itself doesn't use.
 */
export const serviceExit = { other: 1, arguments: 2, damaged: 65 } as const
