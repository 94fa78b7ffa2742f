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
  /** Saves the choices, without those for environments that no longer exist. Rejects as the file system does. */
  save: (choices: Choices) => Promise<void>
}

const newerText =
  'How you left Slipway (the board, the Overview, columns, shortcuts) was written by a newer version of Slipway and was ' +
  'left unchanged. What you choose now lasts until you quit. Update Slipway to keep it.'

/**
 * Opens the file of choices. A missing or unreadable choice counts as not made, and the next save replaces it. A file
 * of a newer version stays unchanged, and a notice says so.
 *
 * @param exists whether there is an environment with an identifier
 * @param notice called with a text for the operator
 */
export function openChoices(
  path: string,
  exists: (environmentId: string) => boolean,
  notice: (text: string) => void,
  files: Files = nodeFiles,
): ChoicesFile {
  const sequencer = new Sequencer()
  const found = parse(path, files)
  const isNewer = found.version > version
  if (isNewer) notice(newerText)
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
    const { version: found, ...rest } = JSON.parse(text) as Record<string, unknown>
    // A member that another version wrote differently must not make the others unreadable.
    const readable = Object.entries(choicesSchema.shape).filter(
      ([name, schema]) => Object.hasOwn(rest, name) && schema.safeParse(rest[name]).success,
    )
    const choices = choicesSchema.parse(Object.fromEntries(readable.map(([name]) => [name, rest[name]])))
    return { version: typeof found === 'number' ? found : 0, choices }
  } catch {
    return { version: 0, choices: none }
  }
}
