/** The smallest, the usual and the largest width of the panel beside the list, in pixels. */
export const panelWidths = { least: 360, usual: 480, most: 720 } as const

/** How the panel beside the list was left. */
export interface PanelChoice {
  isOpen: boolean
  /** In pixels. */
  width: number
}

export const usualPanel: PanelChoice = { isOpen: false, width: panelWidths.usual }
