import type { Deployment } from '@contract'
import type { CommandId } from '@contract/app/commands'
import { useClipboard } from '@/components/display/use-clipboard'
import { useCommand } from '@/stores/commands'

/** What is copied of a deployment, by the commands that do it. */
const copied = {
  'copy-name': ({ name }) => name,
  'copy-id': ({ id }) => id,
  'copy-image': ({ source_revision_config }) => source_revision_config.image_uri,
} as const satisfies Partial<Record<CommandId, (deployment: Deployment) => string | null>>

/**
 * The commands about the deployment whose page is in view.
 *
 * @param deployment gives it as it was read whole; null where it isn't
 */
export function useDeploymentCommands(deployment: () => Deployment | null): void {
  const { copy } = useClipboard()
  for (const [id, textOf] of Object.entries(copied)) {
    const text = (): string => {
      const shown = deployment()
      return (shown && textOf(shown)) || ''
    }
    useCommand(
      id as keyof typeof copied,
      () => void copy(text()),
      () => text() !== '',
    )
  }
}
