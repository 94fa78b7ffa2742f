// What is inside a package: an SBOM in CycloneDX, and the licences of all packages.

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { execa } from 'execa'
import manifest from '../../../package.json' with { type: 'json' }
import { inProject } from '../base/paths.mjs'

interface Bundled {
  name: string
  version: string
  license: string
  folder: string
}

/** The files with the packages of each bundle, which the build writes (electron.vite.config.ts). */
const lists = ['main', 'preload', 'renderer'].map((part) => inProject('out', part, 'packages.json'))

/** The npm packages in the bundles, and the natives beside them with all that these load. */
function bundledPackages(): Bundled[] {
  const natives = new Set(Object.keys(manifest.dependencies).map((name) => `node_modules/${name}`))
  for (const folder of natives) {
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (existsSync(inProject('node_modules', name))) natives.add(`node_modules/${name}`)
    }
  }
  const bundled = lists.flatMap((list) => JSON.parse(readFileSync(list, 'utf8')) as string[])
  return [...new Set([...bundled, ...natives])]
    .map((folder) => {
      const { name, version, license = 'NOASSERTION' } = manifestOf(folder)
      return { name, version, license, folder: inProject(folder) }
    })
    .sort((one, other) => one.name.localeCompare(other.name))
}

interface PackageManifest {
  name: string
  version: string
  license?: string
  dependencies?: object
  optionalDependencies?: object
}

const manifestOf = (folder: string): PackageManifest =>
  JSON.parse(readFileSync(inProject(folder, 'package.json'), 'utf8')) as PackageManifest

/**
 * Writes sbom.cdx.json and LICENSES.packages.txt into the application's folder.
 *
 * @param electron the program before its fuses are set, which tells its versions
 */
export async function writeContents(
  folder: string,
  name: string,
  electron: string,
  date: number,
): Promise<void> {
  const { stdout } = await execa(electron, ['-p', 'JSON.stringify(process.versions)'], {
    env: { ELECTRON_RUN_AS_NODE: '1' },
  })
  const versions = JSON.parse(stdout) as { electron: string; chrome: string; node: string }
  const packages = bundledPackages()
  const engine = [
    { name: 'electron', version: versions.electron, purl: `pkg:npm/electron@${versions.electron}` },
    { name: 'chromium', version: versions.chrome, purl: `pkg:generic/chromium@${versions.chrome}` },
    { name: 'node', version: versions.node, purl: `pkg:generic/node@${versions.node}` },
  ].map((part) => ({ type: 'framework', 'bom-ref': part.purl, ...part }))
  const libraries = packages.map(({ name: library, version, license }) => {
    const purl = `pkg:npm/${library.replace('@', '%40')}@${version}`
    return {
      type: 'library',
      'bom-ref': purl,
      name: library,
      version,
      licenses: [
        /[ (]/.test(license)
          ? { expression: license.replace(/^\((.*)\)$/, '$1') }
          : { license: { id: license } },
      ],
      purl,
    }
  })
  const own = { type: 'application', 'bom-ref': name, name, version: manifest.version }
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp: new Date(date * 1_000).toISOString(), component: own },
    components: [...engine, ...libraries],
    dependencies: [{ ref: name, dependsOn: [...engine, ...libraries].map((part) => part['bom-ref']) }],
  }
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`)
  writeFileSync(join(folder, 'LICENSES.packages.txt'), packages.map(licenceText).join('\n'))
}

function licenceText({ name, version, license, folder }: Bundled): string {
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one))
  const text = file
    ? readFileSync(join(folder, file), 'utf8').trim()
    : `Its package names the licence ${license}.`
  return `${'='.repeat(78)}\n${name} ${version} (${license})\n${'='.repeat(78)}\n\n${text}\n`
}

/** Writes SHA256SUMS beside files of one folder, as sha256sum --check reads it. */
export async function writeChecksums(files: readonly string[]): Promise<string> {
  const lines = []
  for (const file of files) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(file), hash)
    lines.push(`${hash.digest('hex')}  ${basename(file)}\n`)
  }
  const target = join(dirname(files[0]!), 'SHA256SUMS')
  writeFileSync(target, lines.join(''))
  return target
}
