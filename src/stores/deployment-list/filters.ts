import type { ListFilters } from '@contract'
import type { LastFilters } from '@contract/app/personal'
import { splitIds } from '@contract/deployment-api/list'

/** The filters as the fields have them: texts as typed, null for no choice. */
export interface FilterFields {
  name: string
  statuses: readonly string[]
  /** Only what is rolling out, which only the cache can select. */
  rollingOut: boolean
  deploymentType: string | null
  remoteReconciled: 'yes' | 'no' | null
  imageVersion: string
  tagValueIds: string
  deploymentIds: string
  /** Only the operator's favourites. */
  favourites: boolean
  /** Only deployments with this label of the operator's. */
  label: string | null
}

/** No filter at all. */
export const noFilters = (): FilterFields => ({
  name: '',
  statuses: [],
  rollingOut: false,
  deploymentType: null,
  remoteReconciled: null,
  imageVersion: '',
  tagValueIds: '',
  deploymentIds: '',
  favourites: false,
  label: null,
})

/** The filters that choices have for the next start. An encrypted file has the others. */
type ChosenFilters = Omit<FilterFields, keyof LastFilters>

/** The part of the filters that choices have. */
export const chosenOf = ({ statuses, rollingOut, deploymentType, remoteReconciled }: ChosenFilters) =>
  ({ statuses: [...statuses], rollingOut, deploymentType, remoteReconciled }) satisfies ChosenFilters

/**
 * The filters as the list's query has them (interface: List deployments); null for no filter. The query takes one
 * status: several are left out, and so are favourites and labels, which the service doesn't know, and rollouts.
 */
export function toListFilters(fields: FilterFields): Required<ListFilters> {
  const text = (typed: string): string | null => typed.trim() || null
  const ids = (typed: string): string | null => splitIds(typed).join(',') || null
  const [status = null, ...otherStatuses] = fields.statuses
  return {
    name_contains: text(fields.name),
    status: otherStatuses.length === 0 ? status : null,
    remote_reconciled: fields.remoteReconciled === null ? null : fields.remoteReconciled === 'yes',
    tag_value_ids: ids(fields.tagValueIds),
    image_version: text(fields.imageVersion),
    deployment_type: fields.deploymentType,
    deployment_ids: ids(fields.deploymentIds),
  }
}
