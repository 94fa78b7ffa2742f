/** The smallest, the default and the largest width of a part of the window whose edge can be moved, in pixels. */
export interface Widths {
  min: number
  default: number
  max: number
}

/** The widths of the request beside the creation form. It is usually wider in a wide window. */
export const previewWidths = { min: 320, default: 360, max: 720 } as const satisfies Widths

/** A width within its limits, in whole pixels. */
export const widthWithin = ({ min, max }: Widths, pixels: number): number =>
  Math.round(Math.min(max, Math.max(min, pixels)))
