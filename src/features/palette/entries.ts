import { type CommandId, commandIds, commands } from '@contract/app/shortcuts'
import { foldName } from '@contract/core/text'
import type { Environment } from '@contract'
import type { CachedSummary, SavedView } from '@contract/cache'
import { runningSource } from '@/ui/format/deployment'
import { wordSearch } from '@/ui/format/words'

/** What entries of the palette are of. */
interface PaletteThings {
  command: CommandId
  environment: Environment
  view: SavedView
  deployment: CachedSummary
}

/** An entry of the command palette. The key is unique among entries of all kinds. */
export type PaletteEntry<Kind extends keyof PaletteThings = keyof PaletteThings> = {
  [One in Kind]: { key: string; kind: One; id: string; name: string; of: PaletteThings[One] }
}[Kind]

/** An entry that is remembered once it is chosen. */
export type RecentEntry = PaletteEntry<'command' | 'environment' | 'deployment'>

interface PaletteGroup {
  label: 'Recent' | 'This screen' | 'Screens' | 'Commands' | 'Environments' | 'Views' | 'Deployments'
  entries: readonly PaletteEntry[]
}

/** What the palette can offer. */
export interface PaletteSource {
  commands: readonly CommandId[]
  environments: readonly Environment[]
  /** The saved views of the current environment. */
  views: readonly SavedView[]
  /** The cache's results, perhaps for an earlier text. */
  deployments: readonly CachedSummary[]
  /** Earlier choices that still exist, latest first. */
  recent: readonly PaletteEntry[]
  /** The operator's note and labels of a deployment. */
  noteOf: (id: string) => string
}

/** How many entries a group shows. */
const max = { recent: 5, recentFound: 3, environments: 8, views: 8, deployments: 12 } as const

/** Makes the entry of a thing, once: an entry that was drawn before isn't drawn again. */
function entryOf<Kind extends keyof PaletteThings>(kind: Kind) {
  const known = new WeakMap<object, PaletteEntry<Kind>>()
  return (of: PaletteThings[Kind] & { id: string; name: string }): PaletteEntry<Kind> => {
    const entry = known.get(of) ?? { key: `${kind} ${of.id}`, kind, id: of.id, name: of.name, of }
    known.set(of, entry)
    return entry
  }
}

export const environmentEntry = entryOf('environment')
export const deploymentEntry = entryOf('deployment')
const viewEntry = entryOf('view')
const commandEntries = new Map(
  commandIds.map((id) => [
    id,
    { key: `command ${id}`, kind: 'command' as const, id, name: commands[id].label, of: id },
  ]),
)
export const commandEntry = (id: CommandId): PaletteEntry<'command'> => commandEntries.get(id)!

/** Whether a command opens a screen. Its path is the command's name after "go-". */
export const opensScreen = (id: string): boolean => id.startsWith('go-')

/**
 * The entries that contain every word of a text, in groups: recent choices first, and each entry once. For an empty
 * text, everything but deployments.
 */
export function paletteGroups(text: string, source: PaletteSource): PaletteGroup[] {
  const matches = wordSearch(text)
  const hasText = text.trim() !== ''
  const shown = new Set<string>()
  const take = (entries: readonly PaletteEntry[], limit = Infinity): PaletteEntry[] => {
    const found = entries
      .filter((entry) => !shown.has(entry.key) && matches(textOf(entry, source)))
      .slice(0, limit)
    for (const { key } of found) shown.add(key)
    return found
  }
  const commandEntries = bestFirst(text, source.commands.map(commandEntry))
  const isOfScreen = ({ of }: PaletteEntry<'command'>): boolean => 'ofScreen' in commands[of]

  const groups: PaletteGroup[] = [
    { label: 'Recent', entries: take(source.recent, hasText ? max.recentFound : max.recent) },
    { label: 'This screen', entries: take(commandEntries.filter(isOfScreen)) },
    { label: 'Screens', entries: take(commandEntries.filter(({ id }) => opensScreen(id))) },
    { label: 'Commands', entries: take(commandEntries.filter(({ id }) => !opensScreen(id))) },
    { label: 'Environments', entries: take(source.environments.map(environmentEntry), max.environments) },
    { label: 'Views', entries: take(source.views.map(viewEntry), max.views) },
    {
      label: 'Deployments',
      entries: hasText ? take(bestFirst(text, source.deployments.map(deploymentEntry)), max.deployments) : [],
    },
  ]
  return groups.filter(({ entries }) => entries.length > 0)
}

/** The text of an entry that is searched. The cache searches the same members of a deployment. */
function textOf({ kind, id, name, of }: PaletteEntry, { noteOf }: PaletteSource): string {
  if (kind === 'environment') return `${name}\n${of.profile?.baseUrl ?? ''}`
  if (kind !== 'deployment') return name
  const { integration_id, latest_revision_id, active_revision_id } = of
  const runs = runningSource(of)?.full
  return [name, id, runs, integration_id, latest_revision_id, active_revision_id, noteOf(id)].join('\n')
}

/**
 * Sorts what the palette finds: first what has the text as its name or identifier, then names that begin with it, then
 * names that contain it.
 */
function bestFirst<Entry extends PaletteEntry>(text: string, found: readonly Entry[]): Entry[] {
  const wanted = foldName(text.trim())
  const rank = ({ name, id }: Entry): number => {
    const folded = foldName(name)
    if (folded === wanted || id.toLowerCase() === wanted) return 0
    if (folded.startsWith(wanted)) return 1
    return folded.includes(wanted) ? 2 : 3
  }
  return found
    .map((one) => ({ one, rank: rank(one) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ one }) => one)
}

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
