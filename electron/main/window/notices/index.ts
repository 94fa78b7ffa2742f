import type { Notices } from '@contract'

/** Notices about Slipway's own files and its window, shown for as long as they hold. */
export interface NoticeBoard {
  list: () => Notices
  /** Shows the notice of a subject, or removes it with null. */
  set: (about: Notices[number]['about'], text: string | null) => void
}

/** Creates an empty board. `changed` is called with all notices after every change. */
export function createNotices(changed: (notices: Notices) => void): NoticeBoard {
  const texts = new Map<Notices[number]['about'], string>()
  const list = (): Notices => [...texts].map(([about, text]) => ({ about, text }))
  return {
    list,
    set(about, text) {
      if ((texts.get(about) ?? null) === text) return
      if (text === null) texts.delete(about)
      else texts.set(about, text)
      changed(list())
    },
  }
}
