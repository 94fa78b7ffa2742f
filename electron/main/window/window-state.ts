import { type BrowserWindow, type Rectangle, screen } from 'electron'
import { nodeFiles } from '../files'

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
      nodeFiles.now.write(file, JSON.stringify(stored))
    } catch {
      // The next window has the default size.
    }
  })
}

function read(file: string): Stored | null {
  try {
    const { x, y, width, height, maximised } = JSON.parse(
      nodeFiles.now.read(file)?.toString('utf8') ?? 'null',
    ) as Record<keyof Stored, unknown>
    if (![x, y, width, height].every(isPossible) || typeof maximised !== 'boolean') return null
    return { x, y, width, height, maximised } as Stored
  } catch {
    return null
  }
}

/** Whether Electron accepts a number: it must fit an int. */
const isPossible = (number: unknown): boolean =>
  Number.isSafeInteger(number) && Math.abs(number as number) <= 100_000
