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
import { Command } from 'commander'
import { execa } from 'execa'
import manifest from '../../../package.json' with { type: 'json' }
import { inProject, npm, SetupFailure, withProgress } from '../base.mjs'
import { ensurePrograms } from '../system'
import {
  bundledIn,
  chapter,
  closureOf,
  type Inside,
  manifestOf,
  nodePart,
  putBeside,
  writeChecksums,
  writeContents,
} from './contents'
import { commitDate, inWorkFolder, makeDeb, place, programs } from './linux'
import { isIncomplete, publish, type Repository, repositoryPrograms, withRepository } from './publish'

const name = 'slipway-service'
const natives = ['libsql']

/**
 * Packages the deployment service alone into out/package, for this machine's platform, and prints the path of each
 * file: an archive that runs with the Node that is there, and with --deb a Debian package with this process's Node.
 *
 * @returns the exit status
 */
export async function packageService(args: readonly string[]): Promise<number> {
  const command = new Command('npm run package:service --').option('--deb', 'makes a Debian package as well')
  const options = withRepository(command).parse(args, { from: 'user' }).opts<Repository & { deb?: true }>()
  if (isIncomplete(options) || (options.repository && !options.deb))
    command.error('--repository needs --sign and --deb')
  if (options.deb && process.platform !== 'linux') command.error('a deb is made on Linux')
  if (options.deb) {
    const needed = { ...programs.deb, ...(options.repository ? repositoryPrograms : {}) }
    await ensurePrograms('what makes packages', needed)
  }

  const made = await inWorkFolder(async (work) => {
    const folder = join(work, name)
    const date = await commitDate()
    const inside: Inside = { name, date, bundled: bundledIn('service'), natives, engine: [] }
    await withProgress('Packaging the service', async () => {
      writeService(folder, inside)
      await npm(['pack', folder, '--pack-destination', inProject('out/package')])
    })
    const archive = inProject('out/package', `${name}-${manifest.version}.tgz`)
    const licence = chapter('Slipway', readFileSync(inProject('LICENSE'), 'utf8'))
    const files = [archive, ...putBeside(name, folder, licence)]
    if (!options.deb) return files
    const nodeLicence = await withProgress('Finding the licence of Node', () => licenceOfNode(work))
    writeContents(folder, { ...inside, engine: [nodePart(process.versions.node)] })
    const deb = await withProgress('Making the deb', () => makeServiceDeb(work, folder, nodeLicence, date))
    const node = chapter(`Node.js ${process.version}`, nodeLicence)
    return [...files, deb, ...putBeside(`${name}-deb`, folder, `${licence}\n${node}`)]
  })
  await publish(made, options)
  process.stdout.write(`${[...made, await writeChecksums()].join('\n')}\n`)
  return 0
}

/** Puts the service with all that it loads into a folder. */
function writeService(folder: string, inside: Inside): void {
  const copy = (from: string, ...to: string[]): void =>
    cpSync(inProject(from), join(folder, ...to), { recursive: true, dereference: true })
  copy('out/service', 'main')
  rmSync(join(folder, 'main/packages.json'))
  for (const library of closureOf(natives)) copy(`node_modules/${library}`, 'node_modules', library)
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
  const folder = join(work, 'node')
  mkdirSync(folder)
  const source = `node-${process.platform}-${process.arch}@${process.versions.node}`
  await npm(['pack', source, '--pack-destination', folder])
  await execa('tar', ['-xzf', readdirSync(folder)[0]!, 'package/LICENSE', 'package/bin/node'], {
    cwd: folder,
  })
  const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')
  if (hashOf(join(folder, 'package/bin/node')) === hashOf(process.execPath))
    return readFileSync(join(folder, 'package/LICENSE'), 'utf8')
  throw new SetupFailure(
    `The service's deb contains Node, and this one (${process.execPath}, ${process.version}) is not as nodejs.org publishes it.`,
    'run the command with a Node from nodejs.org.',
  )
}

/** The service's deb: program, Node, command, systemd unit, and a user with a data folder. */
async function makeServiceDeb(
  work: string,
  folder: string,
  nodeLicence: string,
  date: number,
): Promise<string> {
  const root = join(work, 'root')
  const program = join(root, 'usr/lib', name)
  cpSync(folder, program, { recursive: true })
  mkdirSync(join(program, 'bin'))
  copyFileSync(process.execPath, join(program, 'bin/node'))
  writeFileSync(join(program, 'LICENSE.node.txt'), nodeLicence)
  const recipe = join(program, 'recipes', `${name}.service`)
  const unit = readFileSync(recipe, 'utf8')
  rmSync(recipe)
  const units = join(root, 'lib/systemd/system')
  mkdirSync(units, { recursive: true })
  writeFileSync(
    join(units, `${name}.service`),
    // Its comment is for those who follow the recipe by hand.
    unit
      .slice(unit.indexOf('[Unit]'))
      .replace(`/usr/bin/node /opt/${name}/main/service.cjs`, `/usr/bin/${name}`),
  )
  const application = { name, date }
  place(join(root, 'usr/bin', name), 'linux/service-command', application)
  await execa('chmod', ['-R', 'u=rwX,go=rX', root])
  await execa('chmod', ['755', join(root, 'usr/bin', name), join(program, 'bin/node')])
  const scripts = { postinst: 'postinst', prerm: 'prerm', postrm: 'postrm' }
  return makeDeb(application, root, { templates: 'linux/service-', scripts })
}
