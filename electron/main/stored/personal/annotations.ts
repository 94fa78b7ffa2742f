import {
  type Annotation,
  type AnnotationChange,
  annotationLimits,
  fail,
  failure,
  type Outcome,
  succeed,
} from '@contract'
import { annotatedService, isEmptyAnnotation } from '@contract/app/personal-values'
import { formatCount } from '@contract/core/text'
import type { PersonalContent } from '@contract/ipc/stored-content'
import { serviceIn } from '../../environments/lookups'
import { environmentChangedFailure } from '../../environments/model/failures'
import type { Environments } from '../../environments/model/types'
import type { HttpTarget } from '../../http/types'
import type { Personal } from '.'
import { belongsTo, storedService, serviceTargetOf } from './stored-service'

/** Favourites, labels and notes of deployments. */
export interface Annotations {
  /**
   * Those of the service that an environment leads to now. Failures: those of `Personal.content`, and the keychain's if
   * the environment's profile can't be read.
   */
  list: (environmentId: string) => Promise<Outcome<Annotation[]>>
  /**
   * Changes the annotation of one deployment, at the service that the page shows. Gives the annotation as it is then
   * stored. The environment may lead to another service by now. Failures: those of `Personal.change`;
   * `environment-changed` if the environment is gone, or hasn't led there in this run; `invalid-input` beyond the
   * limits.
   */
  save: (change: AnnotationChange) => Promise<Outcome<Annotation>>
}

type Services = PersonalContent['services']

/**
 * An identifier means a deployment at one service only. So annotations belong to an environment's service (base URL and
 * tenant), and are hidden while the environment leads to another one. A note that was typed before an edit is still
 * saved for the service it was typed for.
 */
export function createAnnotations(
  personal: Pick<Personal, 'content' | 'change'>,
  environments: Pick<Environments, 'destination' | 'ready' | 'state'>,
): Annotations {
  /** Where environments have led in this run, by environment and service. */
  const led = new Map<string, HttpTarget>()
  const keyOf = (environmentId: string, service: string): string =>
    `${environmentId} ${annotatedService(service)}`

  /** Where an environment leads, which is remembered. Starts no built-in service. */
  async function targetOf(environmentId: string): Promise<Outcome<HttpTarget>> {
    const ready = environments.destination(environmentId) ? null : await environments.ready(environmentId)
    if (ready && !ready.ok) return ready
    const known = environments.destination(environmentId)
    if (!known) return fail(environmentChangedFailure)
    const target = serviceTargetOf(known.target)
    led.set(keyOf(environmentId, known.service), target)
    return succeed(target)
  }

  const serviceOf = serviceIn(environments)

  return {
    async list(environmentId) {
      const target = await targetOf(environmentId)
      if (!target.ok) return target
      const content = await personal.content()
      return content.ok ? succeed(annotationsOf(content.value.services, target.value)) : content
    },

    async save(input) {
      const now = await targetOf(input.environmentId)
      if (!now.ok) return now
      const target = led.get(keyOf(input.environmentId, input.service ?? ''))
      if (!target) return fail(environmentChangedFailure)
      return await personal.change((content) => {
        // The environment, and its personal data, may have been removed meanwhile.
        if (serviceOf(input.environmentId) === null) return fail(environmentChangedFailure)
        const known = annotationsOf(content.services, target)
        const before = known.find(({ deploymentId }) => deploymentId === input.deploymentId)
        const after = changed(before ?? none(input.deploymentId), input)
        if (after.labels.length > annotationLimits.labels) return fail(tooManyLabels)
        const others = known.filter((one) => one !== before)
        const annotations = isEmptyAnnotation(after) ? others : [...others, after]
        const services = withAnnotations(content.services, target, annotations)
        if (!before && countOf(services, input.environmentId) > annotationLimits.deployments)
          return fail(tooMany)
        return succeed({ content: { ...content, services }, value: after })
      })
    },
  }
}

/** The annotations for a target's service. If a deployment has several, the first counts. */
function annotationsOf(services: Services, target: HttpTarget): Annotation[] {
  const found = new Map<string, Annotation>()
  for (const { annotations } of services.filter(belongsTo(target))) {
    for (const annotation of annotations) {
      if (!found.has(annotation.deploymentId)) found.set(annotation.deploymentId, annotation)
    }
  }
  return [...found.values()]
}

function withAnnotations(services: Services, target: HttpTarget, annotations: Annotation[]): Services {
  const isOwn = belongsTo(target)
  const others = services.filter((one) => !isOwn(one))
  const service = storedService(target, services.find(isOwn))
  return service === null || annotations.length === 0 ? others : [...others, { ...service, annotations }]
}

const countOf = (services: Services, environmentId: string): number =>
  services
    .filter((one) => one.environmentId === environmentId)
    .reduce((sum, { annotations }) => sum + annotations.length, 0)

const none = (deploymentId: string): Annotation => ({
  deploymentId,
  name: '',
  favourite: false,
  labels: [],
  note: '',
})

const changed = (before: Annotation, { name, change }: AnnotationChange): Annotation => ({
  ...before,
  name: name ?? before.name,
  favourite: change.favourite ?? before.favourite,
  labels: withLabel(before.labels, change),
  note: change.note ?? before.note,
})

function withLabel(labels: string[], { addLabel, removeLabel }: AnnotationChange['change']): string[] {
  const left = labels.filter((label) => label !== removeLabel)
  return addLabel === undefined || left.includes(addLabel) ? left : [...left, addLabel]
}

const tooManyLabels = failure('invalid-input', `Use at most ${annotationLimits.labels} labels.`)

const tooMany = failure(
  'invalid-input',
  `This environment has favourites, labels or notes of ${formatCount(annotationLimits.deployments)} deployments already.`,
  { advice: 'Remove some of them, then try again.' },
)
