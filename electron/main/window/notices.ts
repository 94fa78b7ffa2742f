import type { Notices } from '@contract'

type Subject = Notices[number]['about']

/**
 * Notices about Slipway's own files and its window, shown for as long as they hold. `changed` is called with all of them
 * after every change.
 */
export function createNotices(changed: (notices: Notices) => void) {
  const texts = new Map<Subject, string>()
  const aside: string[] = []
  const list = (): Notices => [...texts].map(([about, text]) => ({ about, text }))

  function set(about: Subject, text: string | null): void {
    if ((texts.get(about) ?? null) === text) return
    if (text === null) texts.delete(about)
    else texts.set(about, text)
    changed(list())
  }

  return {
    list,
    /** Shows the notice of a subject, or removes it with null. */
    set,
    /** Tells of a file that was set aside, by its name in the user data folder. */
    setAside(name: string): void {
      aside.push(name)
      set('set-aside', aside.map(asideText).join(' '))
    },
  }
}

/** What was lost with a file, by the beginning of its name. */
const losses = {
  'cache/': 'The history of its environment is no longer shown. The next sync fills a new cache.',
  'choices.': 'The board, the Overview, columns and shortcuts were reset to their defaults.',
  'environments.': 'The environments that you added are no longer listed: enter them again.',
  'updates.': 'The notice of updates is on again.',
} as const

function asideText(name: string): string {
  const [, loss] = Object.entries(losses).find(([beginning]) => name.startsWith(beginning)) ?? []
  return `Slipway couldn't read a file and kept it in its folder as ${name}.${loss === undefined ? '' : ` ${loss}`}`
}
