import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, Platform } from 'electron-builder'
import { inProject } from '../base/paths.mjs'
import { setFuses } from './fuses.mjs'

/** The output folder. The packaged application is in a subfolder named after the platform. */
const folder = inProject('out/package')

/** What electron-builder makes on each platform. Its tools come from github.com. */
const installerTargets = { darwin: ['dir', 'dmg'], win32: ['dir', 'nsis'], linux: ['dir', 'AppImage'] }[
  /** @type {'darwin' | 'win32' | 'linux'} */ (process.platform)
]

/**
 * The folder of a packaged program for the SBOM and licences: beside it, or inside an .app.
 *
 * @param {string} program
 */
export const contentsFolder = (program) =>
  program.endsWith('.app') ? join(program, 'Contents/Resources') : dirname(program)

/** The program's name in a package. */
const executableName = 'slipway'

/**
 * Packages the application that was built into out/. The package has Electron with its fuses set, app.asar with out/
 * and the production dependencies, and native modules beside it.
 *
 * @param {object} what
 * @param {string} what.name of the application, which names its data folder
 * @param {string} what.electron folder of the Electron to package
 * @param {string} what.version of Electron
 * @param {boolean} what.installers whether to make the platform's AppImage, dmg or NSIS installer as well
 * @param {(folder: string) => void} what.addContents adds files to the folder of the application
 * @returns {Promise<{ program: string, files: string[] }>} path of the packaged program, on macOS of the .app, and of
 *   the installers
 */
export async function packageApplication({
  name: applicationName,
  electron,
  version,
  installers,
  addContents,
}) {
  let program = ''
  const files = await build({
    targets: Platform.current().createTarget(installers ? installerTargets : 'dir'),
    publish: 'never',
    config: {
      appId: 'slipway',
      productName: 'Slipway',
      extraMetadata: { name: applicationName },
      artifactName: '${name}-${version}-${os}-${arch}.${ext}',
      directories: { output: folder, buildResources: inProject('resources') },
      electronDist: electron,
      electronVersion: version,
      npmRebuild: false,
      files: [
        'out/main',
        'out/preload',
        'out/renderer',
        'package.json',
        '!**/*.map',
        '!**/packages.json',
        // What the builder takes its own icons from is not in the package by itself.
        { from: 'resources', to: 'resources', filter: ['window-icon.png'] },
        `!node_modules/keytar/{script,prebuilds/!(${process.platform}-${process.arch})}/**`,
      ],
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
        addContents(contentsFolder(program))
        await setFuses(program)
      },
    },
  })
  return { program, files: files.filter((file) => /\.(?:AppImage|dmg|exe)$/.test(file)) }
}
