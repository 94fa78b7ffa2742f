import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, Platform } from 'electron-builder'
import { inProject } from '../base/paths.mjs'
import { setFuses } from './fuses.mjs'

/** The output folder. The packaged application is in a subfolder named after the platform. */
const folder = inProject('out/package')

/** The program's name in a package. */
const executableName = 'slipway'

/**
 * Packages the application that was built into out/. The package has Electron with its fuses set, app.asar with out/
 * and the production dependencies, and native modules beside it.
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
      // For links of Slipway on macOS. On Windows and Linux, a packaged Slipway registers them itself, since a folder
      // installs nothing.
      protocols: [{ name: 'Slipway', schemes: ['slipway'] }],
      linux: { executableName, category: 'Development' },
      win: { executableName },
      // A package must not contain Electron's default application. The trial engine's is a folder, which the builder
      // doesn't remove.
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
