import type { BrowserWindow } from 'electron'

/** Whether the operator can see the window. */
export const isShown = (window: BrowserWindow | null): boolean =>
  window !== null && !window.isDestroyed() && window.isVisible() && !window.isMinimized()
