import type { CommandId } from '@contract/app/shortcuts'
import { useRoute, useRouter } from 'vue-router'
import { historyNeighbours } from '@/app/came-back'
import { comparisonPath, type SideRef } from '@/features/compare/side-ref'
import { useAppStore } from '@/app/stores/app'
import { useCommand } from '@/app/stores/commands'
import { useBoardStore } from '@/features/board/board'
import { useDeploymentPanelStore } from '@/features/list/deployment-panel'
import { useDraftInViewStore } from '@/features/new-deployment/draft-in-view'
import { useSelectionStore } from '@/features/list/selection'
import { focusScreenSearch, screenSearch } from '@/app/focus'

/** The paths of the screens, by the commands that open them. */
const screenPaths = {
  'go-overview': '/overview',
  'go-board': '/board',
  'go-deployments': '/deployments',
  'go-repositories': '/repositories',
  'go-environments': '/environments',
  'go-activity': '/activity',
} as const satisfies Partial<Record<CommandId, string>>

/** Registers the commands that open a screen or act on the one in view. */
export function useNavigationCommands(): void {
  const app = useAppStore()
  const panel = useDeploymentPanelStore()
  const route = useRoute()
  const router = useRouter()
  const board = useBoardStore()
  const selected = useSelectionStore()
  const form = useDraftInViewStore()

  /** The sides to compare: two selected deployments, the open one, or the form's draft. */
  function sidesInView(): SideRef[] {
    if (route.path === '/board') {
      return board.selected.map(({ environmentId, id }) => ({ kind: 'deployment', environmentId, id }))
    }
    if (form.draft) return [{ kind: 'draft', ...form.draft }]
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return []
    const side = (id: string): SideRef => ({ kind: 'deployment', environmentId, id })
    const { id } = route.params
    if (typeof id === 'string') return [side(id)]
    if (route.path !== '/deployments') return []
    if (selected.count === 1 || selected.count === 2) return selected.rows.map((row) => side(row.id))
    return panel.isShown && panel.id !== null ? [side(panel.id)] : []
  }

  for (const [id, path] of Object.entries(screenPaths)) {
    useCommand(id as keyof typeof screenPaths, () => void router.push(path))
  }
  useCommand(
    'new-deployment',
    () => void router.push('/new'),
    () => !app.readOnly,
  )
  useCommand('compare', () => {
    const [left = null, right = null] = sidesInView()
    void router.push(comparisonPath(left, right))
  })
  useCommand(
    'back',
    () => router.back(),
    () => Boolean(historyNeighbours().back),
  )
  useCommand(
    'forward',
    () => router.forward(),
    () => Boolean(historyNeighbours().forward),
  )
  useCommand(
    'refresh',
    () => app.refresh?.(),
    () => app.refresh !== null,
  )
  useCommand('find', focusScreenSearch, () => screenSearch() !== null)
}
