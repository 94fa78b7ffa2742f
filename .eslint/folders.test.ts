import { readdirSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inProject } from '../electron/launcher/base/paths.mjs'

/** More than a reader takes in: about a dozen, and some leeway. */
const maxEntries = 18

it.each(['electron', 'src'])('%s has no folder of more entries than a reader takes in', (top) => {
  const folders = readdirSync(inProject(top), { recursive: true, encoding: 'utf8' })
    .map((path) => `${top}/${path.replaceAll('\\', '/')}`)
    .filter((path) => statSync(inProject(path)).isDirectory())
  const sizes = [top, ...folders].map((folder) => [folder, readdirSync(inProject(folder)).length] as const)
  expect(sizes.length).toBeGreaterThan(10)
  expect(sizes.filter(([, size]) => size > maxEntries)).toEqual([])
})
