import type { ElectronApplication } from '@playwright/test'

/** How many pixels differ between two pictures of the same size. */
export function difference(app: ElectronApplication, one: Buffer, other: Buffer): Promise<number> {
  return app.evaluate(
    ({ nativeImage }, pictures) => {
      const [first, second] = pictures.map((base64) =>
        nativeImage.createFromBuffer(Buffer.from(base64, 'base64')).toBitmap(),
      ) as [Buffer, Buffer]
      let count = Math.abs(first.length - second.length)
      for (let at = 0; at < Math.min(first.length, second.length); at += 4)
        if (first.readUInt32LE(at) !== second.readUInt32LE(at)) count += 1
      return count
    },
    [one, other].map((picture) => picture.toString('base64')),
  )
}
