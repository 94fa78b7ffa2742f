import { type CommandId, commandIds, commands } from '@contract/app/shortcuts'
import { wordSearch } from '../text/names'

/** What to open for the commands of a screen. */
const opened = { list: 'Deployments', deployment: 'a deployment', form: 'New deployment' } as const

function placeOf(id: CommandId): keyof typeof opened | null {
  const command = commands[id]
  return 'ofScreen' in command ? command.ofScreen : null
}

/**
 * Says where the command is that a text names, if no command of that place is available now; null if the text names
 * none.
 */
export function commandElsewhere(text: string, available: readonly CommandId[]): string | null {
  const matches = wordSearch(text)
  const here = new Set(available.map(placeOf))
  for (const id of commandIds) {
    const place = placeOf(id)
    if (place === null || here.has(place) || !matches(commands[id].label)) continue
    return `For "${commands[id].label.replace('…', '')}", open ${opened[place]} first.`
  }
  return null
}
