import type { Widths } from './widths'

/** The widths of the panel beside the list. */
export const panelWidths = { min: 360, default: 480, max: 720 } as const satisfies Widths

/** How the panel beside the list was left. */
export interface PanelChoice {
  isOpen: boolean
  /** In pixels. */
  width: number
}

export const defaultPanel: PanelChoice = { isOpen: false, width: panelWidths.default }
