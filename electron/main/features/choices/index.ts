import type { Choices } from '@contract/ipc/choices'
import { choicesSchema } from '@contract/ipc/choices'
import { Sequencer } from '../../async'
import { type Files, nodeFiles } from '../../files'
import { writeAtomically } from '../../files/atomic-write'

const version = 1

/** The operator's choices about how Slipway shows things. */
export interface ChoicesFile {
  /**
   * The choices. Only the first reading has the screen of the last start: a page that is loaded again stays where it
   * is, or starts over because that screen made it stop.
   */
  read: () => Choices
  /** The shortcuts that were changed. */
  shortcuts: () => Choices['shortcuts']
  /** Keeps the choices, except for environments that aren't there any more. Rejects as the file system does. */
  save: (choices: Choices) => Promise<void>
}

/**
 * Opens the file of choices. One that is missing or can't be read counts as empty, and the next save replaces it. A
 * file of a newer version stays as it is.
 *
 * @param exists whether there is an environment with an identifier
 */
export function openChoices(
  path: string,
  exists: (environmentId: string) => boolean,
  files: Files = nodeFiles,
): ChoicesFile {
  const sequencer = new Sequencer()
  const found = parse(path, files)
  const isNewer = found.version > version
  let current = found.choices

  return {
    read() {
      const read = current
      current = { ...current, screen: null }
      return read
    },
    shortcuts: () => current.shortcuts,
    async save(choices) {
      const lists = Object.fromEntries(Object.entries(choices.lists).filter(([id]) => exists(id)))
      const { order, hidden, shown, onlyDiffering } = choices.board
      const board = {
        order: order.filter(exists),
        hidden: hidden.filter(exists),
        shown: shown.filter(exists),
        onlyDiffering,
      }
      const { screen } = choices
      const isGone = screen?.deployment && !exists(screen.deployment.environmentId)
      current = { ...choices, lists, board, screen: isGone ? null : screen }
      if (isNewer) return
      const text = JSON.stringify({ version, ...current }, null, 2)
      await sequencer.queue(() => writeAtomically(path, text, files))
    },
  }
}

function parse(path: string, files: Files): { version: number; choices: Choices } {
  const none = choicesSchema.parse({})
  try {
    const text = files.now.read(path)?.toString('utf8') ?? '{}'
    const { version: found, ...rest } = JSON.parse(text) as { version?: unknown }
    const choices = choicesSchema.safeParse(rest)
    return { version: typeof found === 'number' ? found : 0, choices: choices.success ? choices.data : none }
  } catch {
    return { version: 0, choices: none }
  }
}
