import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type AppLink, isMeantAsAppLink, parseAppLink } from '@contract/core/app-link'
import type { App } from 'electron'
import { log } from '../../log'
import { desktopFileName, removeDesktopEntry, writeDesktopEntry } from './desktop-entry'
import { leadingThrottle } from '../../async'

/** A link that the system handed over. `link` is null if it leads nowhere. */
interface ArrivedLink {
  link: AppLink | null
}

/** The links that the system hands over. The page takes the latest one, when it can show where it leads. */
export interface AppLinks {
  /** The latest link that wasn't taken yet; null if there is none. */
  take: () => ArrivedLink | null
  /** Sets what is called when further links have arrived: at once, and then once for all that arrive in a pause. */
  onArrival: (then: () => void) => void
}

/**
 * Takes links from the arguments of this start and of later ones, which hand theirs over, and from macOS. Call it
 * before the application is ready: macOS tells the link of a start before.
 */
export function takeAppLinks(app: Pick<App, 'on'>, args: readonly string[]): AppLinks {
  let waiting: string | null = null
  let notify: (() => void) | null = null
  // Any program can hand over any number of links, so that each one must cost next to nothing.
  const notifySometimes = leadingThrottle(() => notify?.())

  const arrive = (text: string | undefined): void => {
    if (text === undefined) return
    waiting = text
    if (notify) notifySometimes()
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
    take() {
      const taken = waiting
      waiting = null
      return taken === null ? null : { link: parseAppLink(taken) }
    },
    onArrival(then) {
      notify = then
    },
  }
}

/** What registering needs to know. */
interface Registration {
  platform?: NodeJS.Platform
  /** Writes the desktop file, on Linux; gives whether it was written. */
  writeEntry?: (program: string) => Promise<boolean>
  removeEntry?: () => Promise<void>
  /** Tells the desktop of the file. Rejects if it can't. */
  tellDesktop?: () => Promise<unknown>
}

/**
 * Makes a packaged Slipway the program for its links: on Windows and macOS with each start, on Linux with the first one
 * of a program at its place. The argument "--" keeps a link from being read as a switch. Rejects if the desktop file of
 * Linux can't be written.
 */
export async function registerForLinks(
  app: Pick<App, 'isPackaged' | 'setAsDefaultProtocolClient'>,
  {
    platform = process.platform,
    writeEntry = writeDesktopEntry,
    removeEntry = removeDesktopEntry,
    tellDesktop = setInDesktop,
  }: Registration = {},
): Promise<void> {
  if (!app.isPackaged) return
  if (platform !== 'linux') {
    app.setAsDefaultProtocolClient('slipway', process.execPath, ['--'])
    return
  }
  // These have a desktop file of their own.
  if (['deb', 'rpm'].includes(await readPackageType())) return
  // An AppImage is mounted in another place with each start.
  const { APPIMAGE: image, APPDIR: mounted } = process.env
  const program = image && mounted && process.execPath.startsWith(`${mounted}/`) ? image : process.execPath
  if (!(await writeEntry(program))) return
  try {
    await tellDesktop()
  } catch (error) {
    log.warn('links', `The desktop was not told of the desktop file: ${String(error)}`)
    // With the file there, no later start would try again. A machine without xdg-settings can still read the file.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') await removeEntry()
  }
}

/** The kind of package that it was installed by, such as "deb"; empty for a folder that nothing installed. */
export async function readPackageType(): Promise<string> {
  try {
    return (await readFile(join(process.resourcesPath, 'package-type'), 'utf8')).trim()
  } catch {
    return ''
  }
}

/** How long the desktop may take, in milliseconds. */
const desktopTimeoutMs = 10_000

/** As Electron would, which blocks the main process until xdg-settings ends. */
const setInDesktop = (): Promise<unknown> =>
  promisify(execFile)('xdg-settings', ['set', 'default-url-scheme-handler', 'slipway', desktopFileName], {
    timeout: desktopTimeoutMs,
  })
