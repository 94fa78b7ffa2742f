import { copyFileSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { inProject } from '../base/paths.mjs'
import { printStatus, SetupFailure, withProgress } from '../base/progress.mjs'
import { ensureElectronBinary } from '../engine/electron-binary.mjs'
import { installPackages, findProgram } from '../setup/system-libraries.mjs'
import { packageApplication } from './build.mjs'
import { writeChecksums, writeContents } from './contents'
import { commitDate, type Format, makePackage, toolsOf } from './linux'
import { repositoryTools, writeRepository } from './repository'

const help = 'for example: npm run package -- --deb --rpm --tar --repository FOLDER --sign KEYID'

/**
 * Packages the application for this machine's platform into out/package, and prints the path of each file.
 *
 * @param args --deb, --rpm, --tar, --installers (AppImage, dmg or NSIS), --repository FOLDER --sign KEYID, --trial
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
  await ensureTools(options)
  const name = options.trial ? 'slipway-trial' : 'slipway'
  const version = readFileSync(join(dirname(electron.path), 'version'), 'utf8')
    .trim()
    .replace(/^v/, '')
  const date = await commitDate()
  const { program, files: installers } = await withProgress('Packaging the application', () =>
    packageApplication({
      name,
      electron: electron.path,
      version,
      installers: options.installers,
      addContents: (folder: string) => writeContents(folder, name, electron.path, date),
    }),
  )
  const folder = dirname(program)
  const made = [...installers]
  for (const format of options.formats) {
    const file = await withProgress(`Making the ${format}`, () => makePackage(format, { name, folder, date }))
    made.push(file)
  }
  if (options.repository) {
    await withProgress('Writing the repository', () =>
      writeRepository(resolve(options.repository!), made, options.sign!),
    )
  }
  if (made.length > 0) {
    const bom = inProject('out/package', `${name}.cdx.json`)
    const licences = inProject('out/package', `${name}-licences.txt`)
    copyFileSync(join(contentsOf(program), 'sbom.cdx.json'), bom)
    copyFileSync(join(contentsOf(program), 'LICENSES.packages.txt'), licences)
    made.push(bom, licences)
    made.push(await writeChecksums(made))
  }
  if (options.trial) printStatus('on the trial engine, for tests only: do not distribute it.')
  process.stdout.write(`${[...made, program].join('\n')}\n`)
}

/** The folder with the SBOM: beside the program, or inside an .app. */
const contentsOf = (program: string): string =>
  program.endsWith('.app') ? join(program, 'Contents') : dirname(program)

interface Options {
  formats: Format[]
  installers: boolean
  trial: boolean
  repository?: string
  sign?: string
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
        repository: { type: 'string' },
        sign: { type: 'string' },
      },
    })
    const { repository, sign, installers, trial } = values
    const formats = (['deb', 'rpm', 'tar'] as const).filter((format) => values[format])
    if (formats.length > 0 && process.platform !== 'linux')
      throw new Error('deb, rpm and tar are made on Linux')
    if (Boolean(repository) !== Boolean(sign))
      throw new Error('--repository needs --sign, and the other way round')
    if (repository && !formats.includes('deb') && !formats.includes('rpm')) {
      throw new Error('--repository needs --deb or --rpm')
    }
    return { formats, installers, trial, repository, sign }
  } catch (error) {
    throw new SetupFailure(`${error instanceof Error ? error.message : String(error)}.`, help)
  }
}

async function ensureTools({ formats, repository }: Options): Promise<void> {
  const wanted: Record<string, string> = Object.fromEntries(
    [...formats.map((format) => toolsOf[format]), repository ? repositoryTools : {}].flatMap((tools) =>
      Object.entries(tools),
    ),
  )
  const missing = Object.keys(wanted).filter((program) => !findProgram(program))
  if (missing.length === 0) return
  await installPackages(
    'what makes packages',
    missing,
    missing.map((program) => wanted[program]!),
  )
}
