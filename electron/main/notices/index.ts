import type { Notices } from '@contract'

/** What the user has to know of the files that Slipway keeps and of the window. */
export interface NoticeBoard {
  list: () => Notices
  /** Puts up what there is to know about something, or takes it down with null. */
  set: (about: Notices[number]['about'], text: string | null) => void
}

/** Makes the board. `changed` is called with what is on it after every change. */
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
