import { type BrowserWindow, type Rectangle, screen } from 'electron'
import { nodeFiles } from '../files'

/** The size of a first window, and the smallest at which every screen works, in device-independent pixels. */
const defaultSize = { width: 1280, height: 800 }
export const smallestSize = { width: 900, height: 600 }

const version = 1

interface Stored extends Rectangle {
  maximised: boolean
}

/** Position and size of the last window, or the default size if they are unknown or no longer on a screen. */
export function readBounds(file: string): Partial<Rectangle> & { maximised: boolean } {
  const stored = read(file)
  if (stored === null || !isVisible(stored)) return { ...defaultSize, maximised: false }
  return stored
}

/**
 * Saves position and size of a window when it closes. A file of a newer version is left unchanged. A write error is
 * ignored.
 */
export function rememberBounds(window: BrowserWindow, file: string): void {
  window.on('close', () => {
    const stored: Stored = { ...window.getNormalBounds(), maximised: window.isMaximized() }
    try {
      if (isOfNewer(file)) return
      nodeFiles.now.write(file, JSON.stringify({ version, ...stored }))
    } catch {
      // The next window has the default size.
    }
  })
}

function parse(file: string): unknown {
  return JSON.parse(nodeFiles.now.read(file)?.toString('utf8') ?? 'null')
}

/** Files of the first version have no version number. */
function isOfNewer(file: string): boolean {
  try {
    const { version: found } = parse(file) as { version?: unknown }
    return typeof found === 'number' && found > version
  } catch {
    return false
  }
}

function read(file: string): Stored | null {
  try {
    if (isOfNewer(file)) return null
    const stored = parse(file) as Record<keyof Stored, unknown>
    const { x, y, width, height, maximised } = stored
    const numbers = [x, y, width, height]
    if (!numbers.every(isPossible) || typeof maximised !== 'boolean') return null
    const [left, top, wide, high] = numbers as [number, number, number, number]
    return {
      x: left,
      y: top,
      width: Math.max(wide, smallestSize.width),
      height: Math.max(high, smallestSize.height),
      maximised,
    }
  } catch {
    return null
  }
}

/** Whether Electron accepts a number: it must fit an int. */
const isPossible = (number: unknown): boolean =>
  Number.isSafeInteger(number) && Math.abs(number as number) <= 100_000

function isVisible({ x, y, width }: Rectangle): boolean {
  const area = screen.getDisplayMatching({ x, y, width, height: 1 }).workArea
  return x + width > area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height
}
