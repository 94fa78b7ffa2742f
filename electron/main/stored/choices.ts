import { type Choices, choicesSchema } from '@contract/ipc/choices'
import { Sequencer } from '../async'
import { readJson, type TellSetAside, writeAtomically } from '../files'

/**
 * The operator's choices about how Slipway shows things. Their file is plain, since the first paint needs it and it has no secret.
 *
 * @param exists whether there is an environment with an identifier
 */
export function openChoices(
  path: string,
  exists: (environmentId: string) => boolean,
  setAside: TellSetAside,
) {
  const existing = <Value>(byId: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(Object.entries(byId).filter(([id]) => exists(id)))
  const sequencer = new Sequencer()
  let current = readJson(path, (value) => choicesSchema.parse(value), setAside)

  return {
    /**
     * The choices. Only the first reading has the screen of the last start: a page that is loaded again stays where it
     * is, or starts over because that screen made it stop.
     */
    read(): Choices {
      const read = current
      current = { ...current, screen: null }
      return read
    },
    /** The shortcuts that were changed. */
    shortcuts: () => current.shortcuts,
    /** Saves the choices, without those for environments that no longer exist. Rejects as the file system does. */
    async save(choices: Choices): Promise<void> {
      const { lists, board, screen } = choices
      const isGone = screen?.deployment && !exists(screen.deployment.environmentId)
      current = {
        ...choices,
        lists: existing(lists),
        board: { ...board, order: board.order.filter(exists), columns: existing(board.columns) },
        screen: isGone ? null : screen,
      }
      const text = JSON.stringify(current, null, 2)
      await sequencer.queue(() => writeAtomically(path, text))
    },
  }
}
