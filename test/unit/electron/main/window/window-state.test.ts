import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { readState } from '../../../../../electron/main/window/window-state'

const screen = vi.hoisted(() => ({ area: { x: 0, y: 0, width: 1920, height: 1040 } }))
vi.mock('electron', () => {
  const display = () => ({ workArea: screen.area })
  return { screen: { getDisplayMatching: display, getPrimaryDisplay: display } }
})

const small = { x: 0, y: 0, width: 1024, height: 720 }
const left = { x: -1920, y: 25, width: 1920, height: 1055 }
const tiny = { x: 0, y: 0, width: 800, height: 560 }

type Bounds = [x: number, y: number, width: number, height: number]

function stateOf(area: typeof small, stored: Bounds | null, maximised = false): ReturnType<typeof readState> {
  screen.area = area
  const folder = mkdtempSync(join(tmpdir(), 'slipway-window-'))
  try {
    const file = join(folder, 'window.json')
    if (stored) {
      const [x, y, width, height] = stored
      writeFileSync(file, JSON.stringify({ x, y, width, height, maximised }))
    }
    return readState(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it.each<[string, area: typeof small, stored: Bounds, restored: Bounds]>([
  ['inside', screen.area, [100, 80, 1280, 800], [100, 80, 1280, 800]],
  ['with 8 px at the right', screen.area, [1912, 100, 1280, 800], [640, 100, 1280, 800]],
  ['with 8 px at the left', screen.area, [-1272, 100, 1280, 800], [0, 100, 1280, 800]],
  ['with 8 px at the bottom', screen.area, [100, 1032, 1280, 800], [100, 240, 1280, 800]],
  ['with its title bar above the top', screen.area, [100, -30, 1280, 800], [100, 0, 1280, 800]],
  ['larger than the display', small, [0, 0, 2560, 1400], [0, 0, 1024, 720]],
  ['wider than the display', small, [300, 50, 1280, 620], [0, 50, 1024, 620]],
  ['of a display that is gone', small, [2600, 300, 1000, 700], [24, 20, 1000, 700]],
  ['on a display left of the main one', left, [-1900, 0, 1000, 700], [-1900, 25, 1000, 700]],
  ['half across the edge of a display', left, [-500, 300, 1000, 700], [-1000, 300, 1000, 700]],
  ['smaller than every screen works', screen.area, [1800, 20, 120, 40], [1020, 20, 900, 600]],
  ['on a display below the smallest size', tiny, [50, 50, 1280, 800], [0, 0, 800, 560]],
])('fits a window into the work area: %s', (_name, area, stored, [x, y, width, height]) => {
  expect(stateOf(area, stored).bounds).toEqual({ x, y, width, height })
})

it('fits what a maximised window returns to, and maximises it', () => {
  expect(stateOf(small, [0, 0, 2560, 1400], true)).toMatchObject({ bounds: small, maximised: true })
})

it('fits the first window and the smallest size, and leaves its place to the system', () => {
  expect(stateOf(tiny, null)).toEqual({
    bounds: { width: 800, height: 560 },
    minimum: { width: 800, height: 560 },
    maximised: false,
  })
})
