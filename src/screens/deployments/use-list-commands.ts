import type { CommandId } from '@contract/app/shortcuts'
import { useCommand } from '@/stores/application/commands'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { noFilters } from '@/stores/deployment-list/reading/filters'
import { useExportStore } from '@/stores/deployment-list/export'
import { useStatusesStore } from '@/stores/deployment-list/statuses'
import { useWatchedListStore } from '@/stores/deployment-list/saved/watched-list'

/** The presets of statuses, by the commands that choose them. */
const presets = {
  'show-not-ready': 'Not ready',
  'show-rolling-out': 'Rolling out',
} as const satisfies Partial<Record<CommandId, string>>

/** Registers the commands for the list while it is in view. */
export function useListCommands(): void {
  const exporting = useExportStore()
  const list = useDeploymentsStore()
  const watchedList = useWatchedListStore()
  const statuses = useStatusesStore()
  const isChosen = (label: string): boolean =>
    statuses.presets.some((preset) => preset.label === label && preset.isChosen)

  for (const [id, label] of Object.entries(presets)) {
    useCommand(
      id as keyof typeof presets,
      () => statuses.toggle(label),
      () => !isChosen(label),
    )
  }
  useCommand(
    'clear-filters',
    () => list.filter(noFilters()),
    () => list.filtered,
  )
  useCommand('export-deployments', exporting.open)
  useCommand('watch-list', watchedList.watch, () => watchedList.whyNot === null)
}
