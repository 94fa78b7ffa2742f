// npm run package:service: packages the deployment service alone, for this machine's platform, into out/package. It
// then runs with Node where there is no checkout. With --deb, also as a Debian package with a systemd unit.

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
import { ensureBuild } from '../setup/build.mjs'
import { ensureDependencies } from '../setup/dependencies.mjs'
import { checkNodeVersion } from '../base/node-version.mjs'
import { npm } from '../base/npm.mjs'
import { inProject } from '../base/paths.mjs'
import { lastLines } from '../base/processes.mjs'
import { runCommand, SetupFailure, withProgress } from '../base/progress.mjs'

const packages = inProject('out/package')
const folder = join(packages, 'service')

await runCommand(async () => {
  checkNodeVersion()
  await ensureDependencies()
  await ensureBuild()
  const file = await withProgress('Packaging the service', async () => {
    rmSync(folder, { recursive: true, force: true })
    for (const name of programFiles('service.cjs')) copyInto('main', inProject('out/main', name), name)
    const dependencies = closureOf(['libsql'])
    for (const name of dependencies) {
      cpSync(inProject('node_modules', name), join(folder, 'node_modules', name), {
        recursive: true,
        dereference: true,
      })
    }
    for (const name of readdirSync(inProject('resources/service'))) {
      copyInto(name === 'README.md' ? '.' : 'recipes', inProject('resources/service', name), name)
    }
    copyInto('.', inProject('LICENSE'), 'LICENSE')
    const { version, license, engines } = manifestOf('.')
    const manifest = {
      name: 'slipway-service',
      version,
      description: "Slipway's deployment service",
      license,
      engines,
      dependencies: { libsql: manifestOf('node_modules/libsql').version },
      bundleDependencies: ['libsql'],
    }
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    const { status, output } = await npm(['pack', folder, '--pack-destination', packages])
    if (status !== 0) {
      throw new SetupFailure(
        `npm pack ended with status ${status}.${lastLines(output)}`,
        'fix what npm reports above and run the command again.',
      )
    }
    return join(packages, `slipway-service-${version}.tgz`)
  })
  if (process.argv.includes('--deb')) {
    const { register } = await import('tsx/esm/api')
    register()
    const { makeServiceDeb } = await import('../packaging/service-deb')
    process.stdout.write(`${await withProgress('Making the deb', () => makeServiceDeb(folder))}\n`)
  }
  process.stdout.write(`${file}\n`)
  return 0
})

/**
 * @param {string} place folder inside the package
 * @param {string} file
 * @param {string} name
 */
function copyInto(place, file, name) {
  const target = join(folder, place, name)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(file, target)
}

/**
 * A program in out/main, and all files that it loads.
 *
 * @param {string} program
 * @returns {Set<string>}
 */
function programFiles(program) {
  const found = new Set([program])
  for (const name of found) {
    const text = readFileSync(inProject('out/main', name), 'utf8')
    for (const [, path = ''] of text.matchAll(/require\(["'](\.[^"']+\.cjs)["']\)/g))
      found.add(join(dirname(name), path))
  }
  return found
}

/**
 * The names of packages and of everything they depend on that is installed. Of native modules, only those for this
 * platform are.
 *
 * @param {readonly string[]} names
 * @returns {Set<string>}
 */
function closureOf(names) {
  const found = new Set(names)
  for (const name of found) {
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(`node_modules/${name}`)
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (existsSync(inProject('node_modules', needed))) found.add(needed)
    }
  }
  return found
}

/**
 * @param {string} path of a package in the checkout
 * @returns {{ version: string, license: string, engines: object, dependencies?: object, optionalDependencies?: object }}
 */
function manifestOf(path) {
  return JSON.parse(readFileSync(inProject(path, 'package.json'), 'utf8'))
}
