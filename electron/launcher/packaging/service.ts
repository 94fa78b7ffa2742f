import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { execa } from 'execa'
import manifest from '../../../package.json' with { type: 'json' }
import { npm } from '../base/npm.mjs'
import { inProject } from '../base/paths.mjs'
import { lastLines } from '../base/processes.mjs'
import { SetupFailure, withProgress } from '../base/progress.mjs'
import {
  chapter,
  closureOf,
  entriesOf,
  type Inside,
  manifestOf,
  nodePart,
  putBeside,
  writeChecksums,
  writeContents,
} from './contents'
import { commitDate, debianArchitecture, debianChangelog, inWorkFolder, place, writeSums } from './linux'
import { checkRepository, publish, type Repository } from './repository'
import { ensureTools } from './tools'

const name = 'slipway-service'
const natives = ['libsql']

/**
 * Packages the deployment service alone into out/package, for this machine's platform, and prints the path of each
 * file: an archive that runs with the Node that is there, and with --deb a Debian package with this process's Node.
 *
 * @param args --deb, --repository FOLDER --sign KEYID
 */
export async function packageService(args: readonly string[]): Promise<void> {
  const options = readOptions(args)
  if (options.deb) await ensureTools(['deb'], options)
  const made = await inWorkFolder(async (work) => {
    const folder = join(work, name)
    const inside: Inside = {
      name,
      date: await commitDate(),
      bundled: entriesOf('main').service!.packages,
      natives,
      engine: [],
    }
    const archive = await withProgress('Packaging the service', () => {
      writeService(folder, inside)
      return pack(folder)
    })
    const licence = chapter('Slipway', readFileSync(inProject('LICENSE'), 'utf8'))
    const files = [archive, ...putBeside(name, folder, licence)]
    if (!options.deb) return files
    const nodeLicence = await withProgress('Finding the licence of Node', () => licenceOfNode(work))
    const withNode: Inside = { ...inside, engine: [nodePart(process.versions.node)] }
    writeContents(folder, withNode)
    const deb = await withProgress('Making the deb', () => makeDeb(work, folder, nodeLicence, inside.date))
    const node = chapter(`Node.js ${process.version}`, nodeLicence)
    return [...files, deb, ...putBeside(`${name}-deb`, folder, `${licence}\n${node}`)]
  })
  await publish(made, options)
  process.stdout.write(`${[...made, await writeChecksums()].join('\n')}\n`)
}

function readOptions(args: readonly string[]): Repository & { deb: boolean } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        deb: { type: 'boolean', default: false },
        repository: { type: 'string' },
        sign: { type: 'string' },
      },
    })
    checkRepository(values)
    if (values.repository && !values.deb) throw new Error('--repository needs --deb')
    if (values.deb && process.platform !== 'linux') throw new Error('a deb is made on Linux')
    return values
  } catch (error) {
    throw new SetupFailure(
      `${error instanceof Error ? error.message : String(error)}.`,
      'for example: npm run package:service -- --deb',
    )
  }
}

/** Puts the service with all that it loads into a folder. */
function writeService(folder: string, inside: Inside): void {
  const copy = (from: string, ...to: string[]): void => {
    mkdirSync(dirname(join(folder, ...to)), { recursive: true })
    copyFileSync(inProject(from), join(folder, ...to))
  }
  for (const file of entriesOf('main').service!.files) copy(`out/main/${file}`, 'main', file)
  for (const library of closureOf(natives)) {
    cpSync(inProject('node_modules', library), join(folder, 'node_modules', library), {
      recursive: true,
      dereference: true,
    })
  }
  for (const file of readdirSync(inProject('resources/service'))) {
    copy(`resources/service/${file}`, file === 'README.md' ? '.' : 'recipes', file)
  }
  copy('LICENSE', 'LICENSE')
  const { version, license, engines } = manifest
  const own = {
    ...{ name, version, description: "Slipway's deployment service", license, engines },
    dependencies: { libsql: manifestOf('node_modules/libsql').version },
    bundleDependencies: natives,
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
  writeContents(folder, inside)
}

async function pack(folder: string): Promise<string> {
  const { status, output } = await npm(['pack', folder, '--pack-destination', inProject('out/package')])
  if (status === 0) return inProject('out/package', `${name}-${manifest.version}.tgz`)
  throw new SetupFailure(
    `npm pack ended with status ${status}.${lastLines(output)}`,
    'fix what npm reports above and run the command again.',
  )
}

/**
 * The licence of the Node that runs this: the one beside it, or in the npm package with the same program. Debian's
 * Node and others that use libraries of their system have neither.
 */
async function licenceOfNode(work: string): Promise<string> {
  const beside = join(dirname(process.execPath), '../LICENSE')
  if (existsSync(beside)) {
    const text = readFileSync(beside, 'utf8')
    if (text.startsWith('Node.js is licensed')) return text
  }
  const source = `node-${process.platform}-${process.arch}`
  const folder = join(work, 'node')
  mkdirSync(folder)
  await npm(['pack', `${source}@${process.versions.node}`, '--pack-destination', folder])
  const archive = readdirSync(folder)[0]
  if (archive) {
    await execa('tar', ['-xzf', archive, 'package/LICENSE', 'package/bin/node'], { cwd: folder })
    const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')
    if (hashOf(join(folder, 'package/bin/node')) === hashOf(process.execPath))
      return readFileSync(join(folder, 'package/LICENSE'), 'utf8')
  }
  throw new SetupFailure(
    `The service's deb contains Node, and this one (${process.execPath}, ${process.version}) is not as nodejs.org publishes it.`,
    'run the command with a Node from nodejs.org.',
  )
}

/** The service's deb: program, Node, command, systemd unit, and a user with a data folder. */
async function makeDeb(work: string, folder: string, nodeLicence: string, date: number): Promise<string> {
  const root = join(work, 'root')
  const program = join(root, 'usr/lib', name)
  cpSync(folder, program, { recursive: true })
  mkdirSync(join(program, 'bin'))
  copyFileSync(process.execPath, join(program, 'bin/node'))

  const application = { name, date }
  place(join(root, 'usr/bin', name), 'linux/service-command', application)
  const unit = readFileSync(join(program, 'recipes', `${name}.service`), 'utf8')
  const units = join(root, 'lib/systemd/system')
  mkdirSync(units, { recursive: true })
  writeFileSync(
    join(units, `${name}.service`),
    // Its comment is for those who follow the recipe by hand.
    unit
      .slice(unit.indexOf('[Unit]'))
      .replace(`/usr/bin/node /opt/${name}/main/service.cjs`, `/usr/bin/${name}`),
  )
  const documents = join(root, 'usr/share/doc', name)
  place(join(documents, 'copyright'), 'linux/service-copyright', application)
  place(join(root, 'usr/share/lintian/overrides', name), 'linux/service-lintian', application)
  writeFileSync(join(documents, 'changelog.gz'), gzipSync(debianChangelog(name, date), { level: 9 }))
  writeFileSync(join(program, 'LICENSE.node.txt'), nodeLicence)
  rmSync(join(program, 'recipes', `${name}.service`))
  const { stdout: size } = await execa('du', ['-sk', root])
  place(join(root, 'DEBIAN/control'), 'linux/service-control', application, { SIZE: size.split('\t')[0]! })
  await execa('chmod', ['-R', 'u=rwX,go=rX', root])
  await execa('chmod', ['755', join(root, 'usr/bin', name), join(program, 'bin/node')])
  for (const script of ['postinst', 'prerm', 'postrm']) {
    place(join(root, 'DEBIAN', script), `linux/service-${script}`, application, {}, 0o755)
  }
  await writeSums(root)
  const file = inProject('out/package', `${name}_${manifest.version}_${debianArchitecture()}.deb`)
  await execa('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', root, file], {
    env: { SOURCE_DATE_EPOCH: String(date) },
  })
  return file
}
