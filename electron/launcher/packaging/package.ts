import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { execa } from 'execa'
import manifest from '../../../package.json' with { type: 'json' }
import { printStatus, SetupFailure, withProgress } from '../base/progress.mjs'
import { distributionFolder, ensureElectronBinary } from '../engine/electron-binary.mjs'
import { contentsFolder, packageApplication } from './build.mjs'
import {
  chapter,
  type Engine,
  entriesOf,
  type Inside,
  nodePart,
  putBeside,
  textOfPage,
  writeChecksums,
  writeContents,
} from './contents'
import { commitDate, type Format, makePackage } from './linux'
import { checkRepository, publish, type Repository } from './repository'
import { writeRelease } from './release'
import { ensureTools } from './tools'

const help = 'for example: npm run package -- --deb --rpm --tar --repository FOLDER --sign KEYID'

/**
 * Packages the application for this machine's platform into out/package, and prints the path of each file.
 *
 * @param args --deb, --rpm, --tar, --installers (AppImage, dmg or NSIS), --repository FOLDER --sign KEYID, --trial,
 *   --announce PRIVATE-KEY --notes TEXT (what the update address answers)
 */
export async function packageFor(args: readonly string[]): Promise<void> {
  const options = readOptions(args)
  const electron = await ensureElectronBinary()
  if (electron.origin === 'trial-engine' && !options.trial) {
    throw new SetupFailure(
      'Only the trial engine is available, which must not be packaged for users: it gets no security fixes.',
      'run the command where github.com can be reached, or "npm run package -- --trial" for a package to try out.',
    )
  }
  await ensureTools(options.formats, options)
  const name = options.trial ? 'slipway-trial' : 'slipway'
  const distribution = distributionFolder(electron.path)
  const version = readFileSync(join(distribution, 'version'), 'utf8').trim().replace(/^v/, '')
  const date = await commitDate()
  const contents: Inside = {
    name,
    date,
    bundled: ['main', 'preload', 'renderer'].flatMap((part) =>
      Object.values(entriesOf(part)).flatMap(({ packages }) => packages),
    ),
    natives: Object.keys(manifest.dependencies),
    engine: await engineOf(electron.path),
  }
  const { program, files: installers } = await withProgress('Packaging the application', () =>
    packageApplication({
      name,
      electron: distribution,
      version,
      installers: options.installers,
      addContents: (folder: string) => writeContents(folder, contents),
    }),
  )
  const made = [...installers]
  for (const format of options.formats) {
    const application = { name, folder: dirname(program), date }
    made.push(await withProgress(`Making the ${format}`, () => makePackage(format, application)))
  }
  await publish(made, options)
  if (made.length > 0) {
    made.push(...putBeside(name, contentsFolder(program), licencesOf(distribution)), await writeChecksums())
  }
  if (options.announce) made.push(writeRelease(options.announce, options.notes, date))
  if (options.trial) printStatus('on the trial engine, for tests only: do not distribute it.')
  process.stdout.write(`${[...made, program].join('\n')}\n`)
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

interface Options extends Repository {
  /** The private key that signs what the update address answers, and the notes in it. */
  announce?: string
  notes: string
  formats: Format[]
  installers: boolean
  trial: boolean
}

function readOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        deb: { type: 'boolean' },
        rpm: { type: 'boolean' },
        tar: { type: 'boolean' },
        installers: { type: 'boolean', default: false },
        trial: { type: 'boolean', default: false },
        announce: { type: 'string' },
        notes: { type: 'string', default: '' },
        repository: { type: 'string' },
        sign: { type: 'string' },
      },
    })
    const { announce, notes, repository, sign, installers, trial } = values
    const formats = (['deb', 'rpm', 'tar'] as const).filter((format) => values[format])
    if (formats.length > 0 && process.platform !== 'linux')
      throw new Error('deb, rpm and tar are made on Linux')
    checkRepository(values)
    if (repository && !formats.includes('deb') && !formats.includes('rpm')) {
      throw new Error('--repository needs --deb or --rpm')
    }
    return { formats, announce, notes, installers, trial, repository, sign }
  } catch (error) {
    throw new SetupFailure(`${error instanceof Error ? error.message : String(error)}.`, help)
  }
}
