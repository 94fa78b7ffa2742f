import { type AppLink, isMeantAsAppLink, parseAppLink } from '@contract/core/app-link'
import { app } from 'electron'

/**
 * The links that the system hands over. The page takes the latest one, when it can show where it leads. Takes links from
 * the arguments of this start and of later ones, which hand theirs over, and from macOS. Call it
 * before the application is ready: macOS tells the link of a start before.
 */
export function takeAppLinks(args: readonly string[]) {
  let waiting: string | null = null
  let notify: (() => void) | null = null

  const arrive = (text: string | undefined): void => {
    if (text === undefined) return
    waiting = text
    notify?.()
  }
  /** Chromium adds arguments of its own, and doesn't keep their order. */
  const linkIn = (all: readonly string[]): string | undefined => all.find(isMeantAsAppLink)

  app.on('second-instance', (_event, argv) => arrive(linkIn(argv)))
  app.on('open-url', (event, url) => {
    event.preventDefault()
    arrive(url)
  })
  arrive(linkIn(args))

  return {
    /** The latest link that wasn't taken yet; null if there is none. Its `link` is null if it leads nowhere. */
    take(): { link: AppLink | null } | null {
      const taken = waiting
      waiting = null
      return taken === null ? null : { link: parseAppLink(taken) }
    },
    /** Sets what is called when further links have arrived. */
    onArrival(then: () => void) {
      notify = then
    },
  }
}

export type AppLinks = ReturnType<typeof takeAppLinks>

/**
 * Makes a packaged Slipway the program for its links on Windows and macOS; on Linux, the package has a desktop file for
 * that. The argument "--" keeps a link from being read as a switch.
 */
export function registerForLinks(): void {
  if (!app.isPackaged || process.platform === 'linux') return
  app.setAsDefaultProtocolClient('slipway', process.execPath, ['--'])
}
