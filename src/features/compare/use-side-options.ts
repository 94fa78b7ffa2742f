import { orUnnamed, shownText } from '@contract/core/text'
import { computed, type ComputedRef } from 'vue'
import type { SelectOption } from '@/ui/form/field'
import { type SideRef, sideText } from './side-ref'
import { draftName } from '@/features/new-deployment/draft/draft'
import { absoluteTime } from '@/ui/format/time'
import { useAppStore } from '@/app/stores/app'
import { type ComparedSide, useComparisonStore } from './comparison'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import { useDeploymentsStore } from '@/features/list/deployments'
import { useSelectionStore } from '@/features/list/selection'

/** The option to choose a file. It can't collide with a side: `readSideText` knows no such kind. */
export const fileOption: SelectOption = { value: 'open-file', label: 'Open a file…' }

interface Offered {
  side: SideRef
  label: string
}

/**
 * The options for a side: the current choice, the deployments in the list and the selected ones, cached ones that
 * match the typed text, drafts, and open files. Each names its environment.
 */
export function useSideOptions(): ComputedRef<SelectOption[]> {
  const app = useAppStore()
  const comparison = useComparisonStore()
  const drafts = useDraftsStore()
  const list = useDeploymentsStore()
  const selected = useSelectionStore()

  const inEnvironment = (name: string, environmentId: string): string => {
    const environment = app.environmentOf(environmentId)
    const where = environment ? orUnnamed(environment.name) : 'removed environment'
    // The field shows the text unchanged, so no name may reorder or hide what is beside it.
    return `${shownText(orUnnamed(name))} · ${shownText(where)}`
  }

  const deployment = (environmentId: string, { id, name }: { id: string; name: string }): Offered => ({
    side: { kind: 'deployment', environmentId, id },
    label: inEnvironment(name, environmentId),
  })

  function chosen({ wanted: side, read }: ComparedSide): Offered[] {
    if (!side || side.kind === 'file') return []
    const name = read?.name ?? side.id
    const label = inEnvironment(name, side.environmentId)
    if (side.kind === 'earlier') {
      const seenAt = read?.asOf ? absoluteTime(read.asOf) : `point ${side.point}`
      return [{ side, label: `${label} · ${seenAt}` }]
    }
    return [{ side, label: side.kind === 'draft' ? `Draft ${label}` : label }]
  }

  return computed(() => {
    const { currentEnvironmentId: current } = app
    const rows = current === null ? [] : [...selected.rows, ...(list.live.page?.deployments ?? [])]
    const offered: Offered[] = [
      ...chosen(comparison.left),
      ...chosen(comparison.right),
      ...rows.map((row) => deployment(current!, row)),
      ...comparison.found.map((found) => deployment(found.environmentId, found)),
      ...[...drafts.forms.values()].flatMap(({ environmentId, drafts: entries }) =>
        entries.map(({ id, number, draft }): Offered => ({
          side: { kind: 'draft', environmentId, id },
          label: `Draft ${inEnvironment(draftName(draft, number), environmentId)}`,
        })),
      ),
      ...[...comparison.files].map(([id, { fileName }]): Offered => ({
        side: { kind: 'file', id },
        label: `File ${shownText(fileName)}`,
      })),
    ]
    return [...optionsOf(offered), fileOption]
  })
}

/** One option for each side. Those with the same label get their identifiers appended. */
function optionsOf(offered: readonly Offered[]): SelectOption[] {
  const byValue = new Map(offered.map(({ side, label }) => [sideText(side), { side, label }]))
  const counts = new Map<string, number>()
  for (const { label } of byValue.values()) counts.set(label, (counts.get(label) ?? 0) + 1)
  return [...byValue].map(([value, { side, label }]) => ({
    value,
    label: counts.get(label) === 1 ? label : `${label} · ${side.id}`,
  }))
}
