import { readFileSync, writeFileSync } from 'node:fs'
import { type BrowserWindow, type Rectangle, screen } from 'electron'
import { ownerOnly } from '../files'

/** The size of a first window, and the smallest at which every screen works, in device-independent pixels. */
const defaultSize = { width: 1280, height: 800 }
const smallestSize = { width: 900, height: 600 }

interface Stored extends Rectangle {
  maximised: boolean
}

/** How a window opens: `bounds` without a place are centred by Electron. */
interface WindowState {
  bounds: Pick<Rectangle, 'width' | 'height'> & Partial<Rectangle>
  minimum: Pick<Rectangle, 'width' | 'height'>
  maximised: boolean
}

/**
 * The state of the last window, fitted into the work area of the display that it was on, or else the nearest one. The
 * default size where there was none.
 */
export function readState(file: string): WindowState {
  const stored = read(file)
  const { workArea } = stored ? screen.getDisplayMatching(stored) : screen.getPrimaryDisplay()
  const { x, y, ...size } = fitted(stored ?? { ...workArea, ...defaultSize }, workArea)
  const { width, height } = workArea
  return {
    bounds: stored ? { x, y, ...size } : size,
    minimum: {
      width: Math.min(smallestSize.width, width),
      height: Math.min(smallestSize.height, height),
    },
    maximised: stored?.maximised ?? false,
  }
}

/** A window's bounds, moved and resized as little as possible to lie in a work area. */
function fitted({ x, y, width, height }: Rectangle, area: Rectangle): Rectangle {
  const side = (size: number, smallest: number, available: number): number =>
    Math.min(Math.max(size, smallest), available)
  const wide = side(width, smallestSize.width, area.width)
  const high = side(height, smallestSize.height, area.height)
  const place = (at: number, size: number, start: number, available: number): number =>
    Math.max(start, Math.min(at, start + available - size))
  return {
    x: place(x, wide, area.x, area.width),
    y: place(y, high, area.y, area.height),
    width: wide,
    height: high,
  }
}

/** Saves position and size of a window when it closes. A write error is ignored. */
export function rememberState(window: BrowserWindow, file: string): void {
  window.on('close', () => {
    const stored: Stored = { ...window.getNormalBounds(), maximised: window.isMaximized() }
    try {
      writeFileSync(file, JSON.stringify(stored), { mode: ownerOnly.file })
    } catch {
      // The next window has the default size.
    }
  })
}

/** The stored state; null if there is none that can be read. Electron accepts only numbers that fit an int. */
function read(file: string): Stored | null {
  try {
    const { x, y, width, height, maximised } = JSON.parse(readFileSync(file, 'utf8')) as Stored
    const isPossible = [x, y, width, height].every(
      (number) => Number.isSafeInteger(number) && Math.abs(number) <= 100_000,
    )
    return isPossible ? { x, y, width, height, maximised: maximised === true } : null
  } catch {
    return null
  }
}
