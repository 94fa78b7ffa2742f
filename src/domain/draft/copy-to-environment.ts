import {
  type Deployment,
  type EnvironmentMode,
  hiddenValue,
  modeLabels,
  sourceAvailability,
  sourceLabels,
} from '@contract'
import { shownText } from '@contract/core/text'
import { type Draft, isSent, valueOf } from './draft'
import { type FieldName, fields } from './fields'
import { namesWithValues } from './persisted'
import { draftFromDeployment, type Prefilled } from './prefill'
import { copyJson } from '../text/json-path'

/** The source or the target of a copy. */
export interface CopyEnd {
  name: string
  mode: EnvironmentMode
}

/** Fields whose values belong to one environment, and mean nothing or something else in another. */
const ofOneEnvironment: readonly FieldName[] = [
  'integration_id',
  'listener_id',
  'listener_config',
  'secret_references',
  'custom_url',
]

/**
 * A copy of a draft for another environment. Copies everything, even what isn't allowed there. The notes then say so.
 */
export function copiedDraft(original: Draft, from: CopyEnd, to: CopyEnd): Prefilled {
  const draft = copyJson(original)
  return {
    draft,
    title: `From ${from.name} (${modeLabels[from.mode]}). Check before creating in ${to.name} (${modeLabels[to.mode]}):`,
    notes: differences(draft, to),
  }
}

/**
 * A draft for another environment that is filled in from a deployment.
 *
 * @param name usually the deployment's, since the same agent has one name everywhere; empty if the operator has to
 *   choose one
 */
export function clonedTo(deployment: Deployment, name: string, from: CopyEnd, to: CopyEnd): Prefilled {
  const { draft, notes } = draftFromDeployment(deployment, to.mode, name.includes(hiddenValue) ? '' : name)
  return {
    draft,
    title:
      `Cloned from ${shownText(deployment.name, { max: 60 })} in ${from.name}. ` +
      `Not copied, or to check before creating in ${to.name}:`,
    notes: [...differences(draft, to), ...notes],
  }
}

/** What to check about a draft in another environment. */
export function differences(draft: Draft, to: CopyEnd): string[] {
  const { source } = draft.entered
  const availability = sourceAvailability(source, to.mode)
  const belonging = ofOneEnvironment.filter((name) => isSent(draft, name) && valueOf(draft.entered, name))
  const secrets = namesWithValues(draft)
  return [
    ...(availability.available
      ? []
      : [
          `Source: ${sourceLabels[source] ?? source} is allowed only in ` +
            `${modeLabels[availability.mode].toLowerCase()} environments. Choose another source.`,
        ]),
    ...(belonging.length > 0
      ? [
          `${belonging.map((name) => fields[name].label).join(', ')}: such values belong to one environment. ` +
            'Check that they are right there.',
        ]
      : []),
    ...(secrets.length > 0
      ? [
          `Secret values: copied (${secrets.join(', ')}). Slipway asks you before it sends them to ${to.name}. ` +
            'If the values differ there, enter them again.',
        ]
      : []),
    ...(draft.entered.name === ''
      ? []
      : ['Name: it stays the same until you change it, and so does that of the tracing project.']),
  ]
}
