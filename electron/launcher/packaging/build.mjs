import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, Platform } from 'electron-builder'
import { inProject } from '../base/paths.mjs'
import { setFuses } from './fuses.mjs'

/** Where the packaged application is put, in a folder named after the platform. */
const folder = inProject('out/package')

/** The program's name in a package. */
const executableName = 'slipway'

/**
 * Packages the application as it is built in out/: Electron, app.asar with nothing but out/ and the production
 * dependencies, native modules beside it, fuses set.
 *
 * @param {{ electron: string, version: string }} what path of the Electron program to package, and its version
 * @returns {Promise<string>} path of the packaged program, on macOS of the .app
 */
export async function packageApplication({ electron, version }) {
  let program = ''
  await build({
    targets: Platform.current().createTarget('dir'),
    publish: 'never',
    config: {
      appId: 'slipway',
      productName: 'Slipway',
      directories: { output: folder, buildResources: inProject('resources') },
      electronDist: dirname(electron),
      electronVersion: version,
      npmRebuild: false,
      files: ['out/main', 'out/preload', 'out/renderer', 'package.json', '!**/*.map'],
      asarUnpack: ['**/*.node'],
      linux: { executableName, category: 'Development' },
      win: { executableName },
      // Electron's default application has no place in a package; the stand-in's is a folder, which the builder leaves.
      afterExtract: ({ appOutDir }) => {
        rmSync(join(appOutDir, 'resources/default_app.asar'), { recursive: true, force: true })
      },
      afterPack: async ({ appOutDir, electronPlatformName, packager }) => {
        const names = {
          darwin: `${packager.appInfo.productFilename}.app`,
          win32: `${executableName}.exe`,
        }
        const name = electronPlatformName === 'darwin' || electronPlatformName === 'win32'
        program = join(appOutDir, name ? names[electronPlatformName] : executableName)
        await setFuses(program)
      },
    },
  })
  return program
}
