import { readFileSync, writeFileSync } from 'node:fs'
import { type BrowserWindow, type Rectangle, screen } from 'electron'

/** Size of a first window, and the smallest at which every screen can be used, in device-independent pixels. */
export const defaultSize = { width: 1280, height: 800 }
export const smallestSize = { width: 900, height: 600 }

interface Stored extends Rectangle {
  maximised: boolean
}

/** Place and size of the last window, or only the default size where that is unknown or no longer on a screen. */
export function readBounds(file: string): Partial<Rectangle> & { maximised: boolean } {
  const stored = read(file)
  if (stored === null || !isVisible(stored)) return { ...defaultSize, maximised: false }
  return stored
}

/** Remembers place and size of a window when it closes. A failure to write is not worth a word. */
export function rememberBounds(window: BrowserWindow, file: string): void {
  window.on('close', () => {
    const stored: Stored = { ...window.getNormalBounds(), maximised: window.isMaximized() }
    try {
      writeFileSync(file, JSON.stringify(stored))
    } catch {
      // The next window has the default size.
    }
  })
}

function read(file: string): Stored | null {
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<keyof Stored, unknown>
    const { x, y, width, height, maximised } = stored
    const numbers = [x, y, width, height]
    if (!numbers.every(Number.isSafeInteger) || typeof maximised !== 'boolean') return null
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

function isVisible({ x, y, width }: Rectangle): boolean {
  const area = screen.getDisplayMatching({ x, y, width, height: 1 }).workArea
  return x + width > area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height
}
