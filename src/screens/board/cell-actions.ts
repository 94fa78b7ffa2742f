import type { BoardDeployment } from '@contract/ipc/calls/caches'
import { shownText } from '@contract/core/text'

/** An entry of a cell's menu: what it does, and with which deployment. */
export interface CellAction {
  kind: 'open' | 'toggle' | 'assign' | 'separate' | 'give-back'
  deployment: BoardDeployment
  label: string
  /** Whether a line separates it from the entries above. */
  isSeparated: boolean
}

/**
 * The menu of a cell with these deployments. With several, each entry names its deployment. `isSelected` says
 * whether the deployment with an identifier is selected for comparison.
 */
export function cellActions(
  deployments: readonly BoardDeployment[],
  isSelected: (id: string) => boolean,
): CellAction[] {
  return deployments.flatMap((deployment, index) => {
    const name = shownText(deployment.name, { max: 60 })
    const of = deployments.length > 1 ? ` ${name}` : ''
    const action = (kind: CellAction['kind'], label: string): CellAction => ({
      ...{ kind, deployment, label },
      isSeparated: kind === 'open' && index > 0,
    })
    return [
      action('open', `Open ${name}`),
      action('toggle', isSelected(deployment.id) ? `Deselect${of}` : `Select${of} to compare`),
      action('assign', `Move${of} to another agent…`),
      action('separate', `Make${of} an agent of its own`),
      ...(deployment.byHand ? [action('give-back', `Give${of} back to its own row`)] : []),
    ]
  })
}
