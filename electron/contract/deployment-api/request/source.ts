import { z } from 'zod'
import { type EnvironmentMode, modeLabels } from '../../core/mode-labels'
import { type Source, sourceLabels, sources } from './source-labels'

export * from './source-labels'

export const sourceSchema = z.enum(sources)

const modeOfSource: Record<Source, EnvironmentMode> = {
  repohost: 'cloud',
  external_docker: 'self-hosted',
  internal_docker: 'cloud',
  internal_source: 'cloud',
  internal_template: 'cloud',
}

/** Whether a source is available; if it isn't, why, and which mode has it. */
export type Availability = { available: true } | { available: false; reason: string; mode: EnvironmentMode }

/** Whether a deployment with `source` can be created in an environment of `mode` (interface: Source availability). */
export function sourceAvailability(source: Source, mode: EnvironmentMode): Availability {
  const needed = modeOfSource[source]
  if (needed === mode) return { available: true }
  return {
    available: false,
    mode: needed,
    reason:
      `Source "${sourceLabels[source]}" is available only in ${modeLabels[needed].toLowerCase()} environments; ` +
      `this one is ${modeLabels[mode].toLowerCase()}.`,
  }
}

/** The sources that an environment of `mode` allows, in the order of the form. */
export function availableSources(mode: EnvironmentMode): Source[] {
  return sources.filter((source) => modeOfSource[source] === mode)
}
