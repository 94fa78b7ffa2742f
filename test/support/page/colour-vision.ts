/** Red, green and blue as light: linear, 0 to 1. */
type Light = [number, number, number]

/** The light of a colour (#rrggbb), after IEC 61966-2-1. */
function lightOf(colour: string): Light {
  return [1, 3, 5].map((start) => {
    const part = parseInt(colour.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as Light
}

const sum = (row: Light, [r, g, b]: Light): number => row[0] * r + row[1] * g + row[2] * b

/** Contrast of two colours (#rrggbb) as WCAG 2 defines it: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [high, low] = [one, other]
    .map((colour) => sum([0.2126, 0.7152, 0.0722], lightOf(colour)))
    .sort((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/**
 * How people with each kind of colour blindness see light, after Machado, Oliveira and Fernandes, "A
 * Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), at its full severity.
 */
export const visions = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Record<string, readonly (readonly [number, number, number])[]>

export type Vision = keyof typeof visions

/** A colour (#rrggbb) as it is seen, in Oklab (Ottosson 2020), where equal distances look equally far apart. */
function seen(colour: string, vision: Vision): Light {
  const light = lightOf(colour)
  const met = visions[vision].map((row) => Math.min(1, Math.max(0, sum([...row], light)))) as Light
  const cones = [
    Math.cbrt(sum([0.4122214708, 0.5363325363, 0.0514459929], met)),
    Math.cbrt(sum([0.2119034982, 0.6806995451, 0.1073969566], met)),
    Math.cbrt(sum([0.0883024619, 0.2817188376, 0.6299787005], met)),
  ] as Light
  return [
    sum([0.2104542553, 0.793617785, -0.0040720468], cones),
    sum([1.9779984951, -2.428592205, 0.4505937099], cones),
    sum([0.0259040371, 0.7827717662, -0.808675766], cones),
  ]
}

/**
 * How far apart two colours are seen, as a distance in Oklab: black and white are 1 apart, 0.02 can just be noticed.
 */
export function distance(one: string, other: string, vision: Vision): number {
  const [a, b] = [seen(one, vision), seen(other, vision)]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}
