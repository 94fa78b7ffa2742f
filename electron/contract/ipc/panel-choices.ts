import type { Widths } from './widths'

/** The widths of the panel beside the list. */
export const panelWidths = { least: 360, usual: 480, most: 720 } as const satisfies Widths

/** How the panel beside the list was left. */
export interface PanelChoice {
  isOpen: boolean
  /** In pixels. */
  width: number
}

export const usualPanel: PanelChoice = { isOpen: false, width: panelWidths.usual }
