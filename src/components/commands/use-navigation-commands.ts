import type { CommandId } from '@contract/app/commands'
import { useRouter } from 'vue-router'
import { useAppStore } from '@/stores/application/app'
import { useCommand } from '@/stores/application/commands'
import { focusScreenSearch, screenSearch } from './screen-search'

/** The paths of the screens, by the commands that open them. */
const screenPaths = {
  'go-overview': '/overview',
  'go-deployments': '/deployments',
  'go-repositories': '/repositories',
  'go-environments': '/environments',
  'go-activity': '/activity',
} as const satisfies Partial<Record<CommandId, string>>

/** The paths before and after the current one, which vue-router keeps in the current history entry. */
const neighbours = (): { back?: string | null; forward?: string | null } =>
  (history.state ?? {}) as { back?: string | null; forward?: string | null }

/** Registers the commands that open a screen or act on the one in view. */
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
