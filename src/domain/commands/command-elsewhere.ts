import { type CommandId, commandIds, commands } from '@contract/app/commands'
import { wordSearch } from '../text/word-search'

/** What to open for the commands of a screen. */
const opened = { list: 'Deployments', deployment: 'a deployment', form: 'New deployment' } as const

/** Says where the command is that a text names, if it isn't available now; null if the text names none. */
export function commandElsewhere(text: string, available: readonly CommandId[]): string | null {
  const matches = wordSearch(text)
  for (const id of commandIds) {
    const command = commands[id]
    if (available.includes(id) || !('ofScreen' in command) || !matches(command.label)) continue
    return `For "${command.label.replace('…', '')}", open ${opened[command.ofScreen]} first.`
  }
  return null
}
