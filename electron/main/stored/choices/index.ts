import type { Choices } from '@contract/ipc/choices'
import { choicesSchema } from '@contract/ipc/choices'
import { Sequencer } from '../../async'
import { type Files, nodeFiles, UnusableFileError } from '../../files'
import { writeAtomically } from '../../files/atomic-write'
import { errorCode } from '../../files/error-code'
import { readPersistentlyNow } from '../../files/read-persistently'
import { setAsideNow } from '../../files/set-aside'

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

const what = 'How you left Slipway (the board, the Overview, columns, shortcuts)'
const meanwhile = 'What you choose now lasts until you quit.'

const newerText =
  `${what} was written by a newer version of Slipway and was left unchanged. ${meanwhile} ` +
  'Update Slipway to keep it.'

const unreadText = (error: unknown): string =>
  `${what} couldn't be read from disk (${errorCode(error)}) and was left unchanged. ${meanwhile} ` +
  "Check the disk and the permissions of Slipway's folder, then start Slipway again."

/**
 * Opens the file of choices. A missing choice, or one that can't be read, counts as not made, and the next save
 * replaces it. A damaged file is set aside, which `createSetAsideNotice` tells. A file of a newer version, or one that the
 * disk refuses to read, stays unchanged, and a notice says so.
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
  const found = read(path, files)
  if (found.state === 'newer') notice(newerText)
  if (found.state === 'unread') notice(unreadText(found.error))
  if (found.state === 'damaged') setAsideNow(files, path, 'damaged')
  const isKept = found.state === 'newer' || found.state === 'unread'
  let current = 'choices' in found ? found.choices : choicesSchema.parse({})

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
      if (isKept) return
      const text = JSON.stringify({ version, ...current }, null, 2)
      await sequencer.queue(() => writeAtomically(path, text, files))
    },
  }
}

type Found =
  | { state: 'read' | 'newer'; choices: Choices }
  | { state: 'none' }
  | { state: 'unread'; error: unknown }
  | { state: 'damaged' }

function read(path: string, files: Files): Found {
  let text: string | undefined
  try {
    text = readPersistentlyNow(files, path)?.toString('utf8')
  } catch (error) {
    // What isn't a file has no choices, and is moved out of the way of the next save.
    return error instanceof UnusableFileError ? { state: 'none' } : { state: 'unread', error }
  }
  return text === undefined ? { state: 'none' } : parse(text)
}

function parse(text: string): Found {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { state: 'damaged' }
  }
  if (!(value instanceof Object) || Array.isArray(value)) return { state: 'damaged' }
  const { version: found, ...rest } = value as Record<string, unknown>
  // A member that another version wrote differently must not make the others unreadable.
  const readable = Object.entries(choicesSchema.shape).filter(
    ([name, schema]) => Object.hasOwn(rest, name) && schema.safeParse(rest[name]).success,
  )
  const choices = choicesSchema.parse(Object.fromEntries(readable.map(([name]) => [name, rest[name]])))
  return { state: typeof found === 'number' && found > version ? 'newer' : 'read', choices }
}
