import type { CommandId } from '@contract/app/commands'
import { useRouter } from 'vue-router'
import { useAppStore } from '@/stores/app'
import { useCommand } from '@/stores/commands'
import { focusScreenSearch, screenSearch } from './screen-search'

/** The paths of the screens, by the commands that lead there. */
const screenPaths = {
  'go-deployments': '/deployments',
  'go-repositories': '/repositories',
  'go-environments': '/environments',
  'go-activity': '/activity',
} as const satisfies Partial<Record<CommandId, string>>

/** What vue-router keeps in the entry of the history that is shown: the paths before and after it. */
const neighbours = (): { back?: string | null; forward?: string | null } =>
  (history.state ?? {}) as { back?: string | null; forward?: string | null }

/** The commands that lead to a screen, or are about the one in view. */
export function useNavigationCommands(): void {
  const app = useAppStore()
  const router = useRouter()

  for (const [id, path] of Object.entries(screenPaths)) {
    useCommand(id as keyof typeof screenPaths, () => void router.push(path))
  }
  useCommand(
    'new-deployment',
    () => void router.push('/new'),
    () => !app.readOnly,
  )
  useCommand(
    'back',
    () => router.back(),
    () => Boolean(neighbours().back),
  )
  useCommand(
    'forward',
    () => router.forward(),
    () => Boolean(neighbours().forward),
  )
  useCommand(
    'refresh',
    () => app.refresh?.(),
    () => app.refresh !== null,
  )
  useCommand('find', focusScreenSearch, () => screenSearch() !== null)
}
