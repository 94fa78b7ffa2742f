import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { build, type Configuration, Platform } from 'electron-builder'
import { execa } from 'execa'
import manifest from '../../../package.json' with { type: 'json' }
import { inProject, printStatus, SetupFailure, withProgress } from '../base.mjs'
import { distributionFolder, ensureElectronBinary } from '../engine'
import { ensurePrograms } from '../system'
import {
  bundledIn,
  chapter,
  type Engine,
  type Inside,
  nodePart,
  putBeside,
  textOfPage,
  writeChecksums,
  writeContents,
} from './contents'
import { commitDate, makePackage, programs } from './linux'
import {
  isIncomplete,
  publish,
  type Repository,
  repositoryPrograms,
  withRepository,
  writeRelease,
} from './publish'

interface Options extends Repository {
  deb?: true
  rpm?: true
  tar?: true
  installers?: true
  trial?: true
  announce?: string
  notes: string
}

/**
 * Packages the application for this machine's platform into out/package, and prints the path of each file.
 *
 * @returns the exit status
 */
export async function packageFor(args: readonly string[]): Promise<number> {
  const command = new Command('npm run package --')
    .option('--deb', 'makes a package for Debian and Ubuntu')
    .option('--rpm', 'makes a package for Fedora')
    .option('--tar', 'makes an archive for any Linux')
    .option('--installers', 'makes an AppImage, a dmg or an NSIS installer')
    .option('--trial', 'packages any Electron as slipway-trial, for tests only')
    .option('--announce <key>', 'writes latest.json, signed with this private key, to tell of this version')
    .option('--notes <text>', 'the notes in latest.json', '')
  const options = withRepository(command).parse(args, { from: 'user' }).opts<Options>()
  const { trial, announce, installers = false } = options
  const formats = (['deb', 'rpm', 'tar'] as const).filter((format) => options[format])
  if (formats.length > 0 && process.platform !== 'linux') command.error('deb, rpm and tar are made on Linux')
  if (isIncomplete(options) || (options.repository && !options.deb && !options.rpm))
    command.error('--repository needs --sign, and --deb or --rpm')

  const electron = await ensureElectronBinary()
  if (electron.isTrial && !trial) {
    throw new SetupFailure(
      'Only the trial engine is available, which must not be packaged for users: it gets no security fixes.',
      'run the command where github.com can be reached, or "npm run package -- --trial" for a package to try out.',
    )
  }
  const tools: Record<string, string>[] = formats.map((format) => programs[format])
  if (options.repository) tools.push(repositoryPrograms)
  await ensurePrograms('what makes packages', Object.assign({}, ...tools) as Record<string, string>)
  const name = trial ? 'slipway-trial' : 'slipway'
  const distribution = distributionFolder(electron.path)
  const date = await commitDate()
  const contents: Inside = {
    name,
    date,
    bundled: bundledIn('main', 'preload', 'renderer', 'service'),
    natives: Object.keys(manifest.dependencies),
    engine: await engineOf(electron.path),
  }
  const { program, files } = await withProgress('Packaging the application', () =>
    packageApplication(name, distribution, installers, (folder) => writeContents(folder, contents)),
  )
  for (const format of formats) {
    const application = { name, folder: dirname(program), date }
    files.push(await withProgress(`Making the ${format}`, () => makePackage(format, application)))
  }
  await publish(files, options)
  if (files.length > 0) {
    files.push(...putBeside(name, contentsFolder(program), licencesOf(distribution)), await writeChecksums())
  }
  if (announce) files.push(writeRelease(announce, options.notes, date))
  if (trial) printStatus('for tests only: do not distribute it.')
  process.stdout.write(`${[...files, program].join('\n')}\n`)
  return 0
}

/** Electron's parts, of a program whose fuses still let it say its versions. */
async function engineOf(electron: string): Promise<Engine[]> {
  const { stdout } = await execa(electron, ['-p', 'JSON.stringify(process.versions)'], {
    env: { ELECTRON_RUN_AS_NODE: '1' },
  })
  const versions = JSON.parse(stdout) as { electron: string; chrome: string; node: string }
  return [
    { name: 'electron', version: versions.electron, purl: `pkg:npm/electron@${versions.electron}` },
    { name: 'chromium', version: versions.chrome, purl: `pkg:generic/chromium@${versions.chrome}` },
    nodePart(versions.node),
  ]
}

/** The licences of Electron and Chromium, which the package itself has as Electron ships them. */
function licencesOf(distribution: string): string {
  const read = (...names: string[]): string =>
    names
      .map((name) => join(distribution, name))
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'utf8').trim())
      .join('\n')
  return [
    chapter('Electron', read('LICENSE', 'LICENSE.electron.txt')),
    chapter('Chromium and what it contains', textOfPage(read('LICENSES.chromium.html'))),
  ].join('\n')
}

/** The folder of a packaged program for the SBOM and licences: beside it, or inside an .app. */
const contentsFolder = (program: string): string =>
  program.endsWith('.app') ? join(program, 'Contents/Resources') : dirname(program)

/** What electron-builder makes on each platform, besides the unpacked program. Its tools come from github.com. */
const installerTargets: Record<string, string> = { darwin: 'dmg', win32: 'nsis', linux: 'AppImage' }

/** What the packaged program allows: https://www.electronjs.org/docs/latest/tutorial/fuses */
const fuses: Required<Configuration>['electronFuses'] = {
  // The program must not run other scripts as Node does.
  runAsNode: false,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  // Slipway stores no cookies. If Chromium does, it encrypts them.
  enableCookieEncryption: true,
  // The program loads app.asar only, and on macOS and Windows checks that it wasn't changed. Linux has no such check,
  // and nothing checks the native modules beside app.asar.
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  // Pages come from app://, never from file://.
  grantFileProtocolExtraPrivileges: false,
  resetAdHocDarwinSignature: process.platform === 'darwin',
}

/**
 * Packages the application that was built into out/. The package has Electron with its fuses set, app.asar with out/
 * and the production dependencies, and native modules beside it.
 *
 * @param name of the application, which names its data folder
 * @param electron folder of the Electron to package
 * @param addContents adds files to the folder of the application
 * @returns path of the packaged program, on macOS of the .app, and of the installers
 */
async function packageApplication(
  name: string,
  electron: string,
  installers: boolean,
  addContents: (folder: string) => void,
): Promise<{ program: string; files: string[] }> {
  const executableName = 'slipway'
  let program = ''
  const files = await build({
    targets: Platform.current().createTarget(
      installers ? ['dir', installerTargets[process.platform]!] : ['dir'],
    ),
    publish: 'never',
    config: {
      appId: 'slipway',
      productName: 'Slipway',
      extraMetadata: { name },
      artifactName: '${name}-${version}-${os}-${arch}.${ext}',
      directories: { output: inProject('out/package'), buildResources: inProject('resources') },
      electronDist: electron,
      electronVersion: readFileSync(join(electron, 'version'), 'utf8').trim().replace(/^v/, ''),
      electronFuses: fuses,
      npmRebuild: false,
      files: [
        'out/main',
        'out/preload',
        'out/renderer',
        'out/service',
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
      afterPack: ({ appOutDir, electronPlatformName, packager }) => {
        const names: Record<string, string> = {
          darwin: `${packager.appInfo.productFilename}.app`,
          win32: `${executableName}.exe`,
        }
        program = join(appOutDir, names[electronPlatformName] ?? executableName)
        addContents(contentsFolder(program))
      },
    },
  })
  return { program, files: files.filter((file) => /\.(?:AppImage|dmg|exe)$/.test(file)) }
}
