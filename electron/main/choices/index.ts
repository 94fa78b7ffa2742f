import type { Choices } from '@contract/ipc/choices'
import { choicesSchema } from '@contract/ipc/choices'
import { Sequencer } from '../async'
import { type Files, nodeFiles } from '../files'
import { writeAtomically } from '../files/atomic-write'

const version = 1

/** What the operator chose of how Slipway shows things. */
export interface ChoicesFile {
  read: () => Choices
  /** Keeps the choices, but for environments that aren't there any more. Rejects as the file system does. */
  save: (choices: Choices) => Promise<void>
}

/**
 * Opens the file of choices. One that is missing or can't be read counts as empty, and the next save replaces it. A file of
 * a newer version stays as it is.
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
    read: () => current,
    async save(choices) {
      const lists = Object.fromEntries(Object.entries(choices.lists).filter(([id]) => exists(id)))
      current = { ...choices, lists }
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
