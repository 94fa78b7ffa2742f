import {
  type Annotation,
  type AnnotationChange,
  annotationLimits,
  type Answers,
  fail,
  failure,
  succeed,
} from '@contract'
import { annotatedService, isEmptyAnnotation } from '@contract/app/personal-values'
import { formatCount } from '@contract/core/text'
import type { Environments } from '../../environments'
import { isSameService, serviceAt, environmentChangedFailure } from '../../environments/known'
import type { Personal, PersonalContent } from '.'

/**
 * Favourites, labels and notes of deployments. An identifier means a deployment at one service only. So annotations belong to an environment's service (base URL and
 * tenant), and are hidden while the environment leads to another one. A note that was typed before an edit is still
 * saved for the service it was typed for.
 */
export function createAnnotations(
  personal: Pick<Personal, 'content' | 'change'>,
  environments: Pick<Environments, 'destination' | 'ready'>,
): Pick<Answers<'annotations'>, 'annotations.list' | 'annotations.save'> {
  return {
    /**
     * Those of the service that an environment leads to now. Failures: those of `Personal.content`, and the keychain's if
     * the environment's profile can't be read.
     */
    async 'annotations.list'({ environmentId }) {
      // A built-in service isn't started for this.
      const ready = environments.destination(environmentId) ? null : await environments.ready(environmentId)
      if (ready && !ready.ok) return ready
      const service = serviceAt(environments, environmentId)
      if (!service) return fail(environmentChangedFailure)
      const content = await personal.content()
      if (!content.ok) return content
      return succeed(content.value.services.find((one) => isSameService(one, service))?.annotations ?? [])
    },

    /**
     * Changes the annotation of one deployment, at the service that the page shows. Gives the annotation as it is then
     * stored. Failures: those of `Personal.change`; `environment-changed` if the environment is gone; `invalid-input`
     * beyond the limits.
     */
    async 'annotations.save'({ environmentId, service: named, deploymentId, ...change }) {
      if (named === null) return fail(environmentChangedFailure)
      const service = { environmentId, service: annotatedService(named) }
      return await personal.change(environmentId, (content) => {
        const isOwn = (one: PersonalContent['services'][number]): boolean => isSameService(one, service)
        const known = content.services.find(isOwn)?.annotations ?? []
        const before = known.find((one) => one.deploymentId === deploymentId)
        const after = changed(before ?? none(deploymentId), change)
        if (after.labels.length > annotationLimits.labels) return fail(tooManyLabels)
        const others = known.filter((one) => one !== before)
        const annotations = isEmptyAnnotation(after) ? others : [...others, after]
        const services = [
          ...content.services.filter((one) => !isOwn(one)),
          ...(annotations.length > 0 ? [{ ...service, annotations }] : []),
        ]
        const count = services
          .filter((one) => one.environmentId === environmentId)
          .reduce((sum, one) => sum + one.annotations.length, 0)
        if (!before && count > annotationLimits.deployments) return fail(tooMany)
        return succeed({ content: { ...content, services }, value: after })
      })
    },
  }
}

const none = (deploymentId: string): Annotation => ({
  deploymentId,
  name: '',
  favourite: false,
  labels: [],
  note: '',
})

const changed = (
  before: Annotation,
  { name, change }: Pick<AnnotationChange, 'name' | 'change'>,
): Annotation => ({
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
