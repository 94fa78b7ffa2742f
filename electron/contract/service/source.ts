import { z } from 'zod'
import { type EnvironmentMode, modeLabels } from '../mode'

/** The sources of a deployment (interface: Deployment, `source`). */
export const sources = [
  'repohost',
  'external_docker',
  'internal_docker',
  'internal_source',
  'internal_template',
] as const

export const sourceSchema = z.enum(sources)

export type Source = z.infer<typeof sourceSchema>

/** The sources in words, in the order of the form. */
export const sourceLabels: Record<Source, string> = {
  repohost: 'Repository',
  external_docker: 'External image',
  internal_docker: 'Internal image',
  internal_source: 'Internal source',
  internal_template: 'Internal template',
}

const modeOfSource: Record<Source, EnvironmentMode> = {
  repohost: 'cloud',
  external_docker: 'self-hosted',
  internal_docker: 'cloud',
  internal_source: 'cloud',
  internal_template: 'cloud',
}

/** Whether a source can be used, and if not, why and where it could. */
export type Availability = { available: true } | { available: false; reason: string; mode: EnvironmentMode }

/**
 * Tells whether `source` may be created in an environment of `mode`.
 * Rule: interface, "Source availability".
 */
export function sourceAvailability(source: Source, mode: EnvironmentMode): Availability {
  const needed = modeOfSource[source]
  if (needed === mode) return { available: true }
  return {
    available: false,
    mode: needed,
    reason:
      `Source "${source}" is available only in ${modeLabels[needed].toLowerCase()} environments; ` +
      `this one is ${modeLabels[mode].toLowerCase()}.`,
  }
}

/** The sources that an environment of `mode` allows, in the order of the form. */
export function availableSources(mode: EnvironmentMode): Source[] {
  return sources.filter((source) => modeOfSource[source] === mode)
}

/** Whether a text that a service answered is one of the interface's sources. */
export function isKnownSource(text: string): text is Source {
  return (sources as readonly string[]).includes(text)
}
