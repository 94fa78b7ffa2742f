import { orUnnamed, shownText } from '@contract/core/text'
import { ChevronLeft, ChevronRight, Eye, ScanEye } from '@lucide/vue'
import { type FunctionalComponent, h } from 'vue'
import { announce } from '@/app/window'
import { useWatchesStore } from '@/features/watches/watches'
import type { CommandId } from '@contract/app/shortcuts'
import { useClipboard } from '@/ui/widgets/clipboard'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { useAppStore } from '@/app/stores/app'
import { useCommand } from '@/app/commands'
import type { Neighbours } from '@/features/list/deployment-panel'
import type { ListedRow } from '@/features/list/deployments'
import { IconButton } from '@/ui/widgets/elements'

/**
 * Watches a deployment with the default choices. If it is watched already, opens the dialog of its watch; if it can't
 * be watched, opens the notices, which say why.
 *
 * @param name null until it is known
 */
export async function watchOrEdit(
  store: ReturnType<typeof useWatchesStore>,
  id: string,
  name: string | null,
): Promise<void> {
  const watch = store.of(id)
  if (watch) return store.edit({ watch })
  if (await store.addDeployment(id, name)) announce(`Watching ${orUnnamed(name ?? '')}.`)
  else store.isOpen = true
}

const copyCommands = [
  'copy-name',
  'copy-id',
  'copy-image',
  'copy-link',
] as const satisfies readonly CommandId[]

/** The deployment that is in view, on its page or in the panel beside the list. */
interface DeploymentInView {
  /** Its identifier; null while nothing can be stored about it. */
  id: () => string | null
  /** Its name; null until it is known. */
  name: () => string | null
  /** Its texts, by the commands that copy them. A text that is missing or cut off is left out. */
  texts: () => Partial<Record<(typeof copyCommands)[number], string | null>>
  /** Opens the form with a draft that is filled in from it. */
  clone: () => void
  mayClone: () => boolean
}

/** Registers the commands for the deployment in view. */
export function useDeploymentCommands({ id, name, texts, clone, mayClone }: DeploymentInView): void {
  const annotations = useAnnotationsStore()
  const app = useAppStore()
  const watches = useWatchesStore()
  const { copy } = useClipboard()

  for (const command of copyCommands) {
    const text = (): string => texts()[command] ?? ''
    useCommand(
      command,
      () => void copy(text()),
      () => text() !== '',
    )
  }
  useCommand('clone-deployment', clone, () => !app.readOnly && mayClone())
  useCommand(
    'toggle-favourite',
    () => {
      const shown = id()
      if (shown !== null) void annotations.toggle(shown, name())
    },
    () => id() !== null && annotations.byId !== null,
  )
  useCommand(
    'watch-deployment',
    () => {
      const shown = id()
      if (shown !== null) void watchOrEdit(watches, shown, name())
    },
    () => id() !== null && watches.state.isRead,
  )
}

type NeighbourEvents = { go: [to: ListedRow, event: MouseEvent] }

/** Buttons to the previous and the next deployment in the list, beside a deployment that is shown. */
export const NeighbourButtons: FunctionalComponent<{ neighbours: Neighbours }, NeighbourEvents> = (
  { neighbours: { previous, next } },
  { attrs, emit },
) =>
  [
    { label: 'Previous deployment', icon: ChevronLeft, row: previous },
    { label: 'Next deployment', icon: ChevronRight, row: next },
  ].map(({ label, icon, row }) =>
    h(IconButton, {
      ...attrs,
      key: label,
      icon,
      'aria-label': label,
      title: row ? shownText(orUnnamed(row.name)) : undefined,
      disabled: !row,
      onClick: (event: MouseEvent) => row && emit('go', row, event),
    }),
  )

NeighbourButtons.props = ['neighbours']
NeighbourButtons.emits = ['go']
NeighbourButtons.inheritAttrs = false

/** Watches a deployment. If it is watched already, opens the dialog of its watch. Its name is null until it is known. */
export const WatchButton: FunctionalComponent<{ id: string; name: string | null; hideLabel?: boolean }> = ({
  id,
  name,
  hideLabel,
}) => {
  const store = useWatchesStore()
  const isWatched = store.of(id) !== null
  return h(IconButton, {
    icon: isWatched ? ScanEye : Eye,
    label: 'Watch',
    showLabel: !hideLabel,
    'aria-pressed': isWatched,
    title: isWatched ? 'Watched. Edit or end the watch' : 'Get a notice when it changes',
    disabled: !store.state.isRead,
    onClick: () => void watchOrEdit(store, id, name),
  })
}

WatchButton.props = { id: String, name: String, hideLabel: Boolean } as never
