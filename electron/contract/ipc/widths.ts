/** The smallest, the usual and the largest width of a part of the window whose edge can be moved, in pixels. */
export interface Widths {
  least: number
  usual: number
  most: number
}

/** The widths of the request beside the creation form. It is usually wider in a wide window. */
export const previewWidths = { least: 320, usual: 360, most: 720 } as const satisfies Widths

/** A width within its limits, in whole pixels. */
export const widthWithin = ({ least, most }: Widths, pixels: number): number =>
  Math.round(Math.min(most, Math.max(least, pixels)))
