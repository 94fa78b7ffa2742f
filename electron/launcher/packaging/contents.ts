// What is inside a package: an SBOM in CycloneDX, and the licences of all packages.

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import manifest from '../../../package.json' with { type: 'json' }
import { inProject } from '../base.mjs'

/** A part of a package that isn't an npm package: Electron, Chromium, Node. */
export interface Engine {
  name: string
  version: string
  purl: string
}

/** Node as a part of a package. */
export const nodePart = (version: string): Engine => ({
  name: 'node',
  version,
  purl: `pkg:generic/node@${version}`,
})

/** What a package has inside. */
export interface Inside {
  /** Of the package. */
  name: string
  /** Seconds since 1970, of the commit. */
  date: number
  /** Folders of the npm packages in the bundles. */
  bundled: readonly string[]
  /** Names of npm packages beside the bundles. What they load is added. */
  natives: readonly string[]
  engine: readonly Engine[]
}

/** Files of the SBOM and of the licences of npm packages, in each package. */
const contentFiles = { bom: 'sbom.cdx.json', licences: 'LICENSES.packages.txt' }

/** Folders of the npm packages in parts of `out`: `main`, `preload`, `renderer`, `service`. */
export const bundledIn = (...parts: readonly string[]): string[] =>
  parts.flatMap(
    (part) => JSON.parse(readFileSync(inProject('out', part, 'packages.json'), 'utf8')) as string[],
  )

/** The names of packages and of everything they load that is installed. Of natives, only those of this platform are. */
export function closureOf(names: readonly string[]): Set<string> {
  const found = new Set(names)
  for (const name of found) {
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(`node_modules/${name}`)
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (existsSync(inProject('node_modules', needed))) found.add(needed)
    }
  }
  return found
}

interface PackageManifest {
  name: string
  version: string
  license?: string
  dependencies?: object
  optionalDependencies?: object
}

/** The package.json in a folder of the checkout. */
export const manifestOf = (folder: string): PackageManifest =>
  JSON.parse(readFileSync(inProject(folder, 'package.json'), 'utf8')) as PackageManifest

/** Writes the `contentFiles` into a folder. */
export function writeContents(folder: string, { name, date, bundled, natives, engine }: Inside): void {
  const folders = new Set([...bundled, ...[...closureOf(natives)].map((one) => `node_modules/${one}`)])
  const packages = [...folders]
    .map((path) => ({ ...manifestOf(path), path }))
    .sort((one, other) => one.name.localeCompare(other.name))
  const frameworks = engine.map((part) => ({ type: 'framework', 'bom-ref': part.purl, ...part }))
  const libraries = packages.map(({ name: library, version, license = 'NOASSERTION' }) => {
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
  const components = [...frameworks, ...libraries]
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp: new Date(date * 1_000).toISOString(), component: own },
    components,
    dependencies: [{ ref: name, dependsOn: components.map((part) => part['bom-ref']) }],
  }
  writeFileSync(join(folder, contentFiles.bom), `${JSON.stringify(bom, null, 2)}\n`)
  writeFileSync(join(folder, contentFiles.licences), packages.map(licenceText).join('\n'))
}

function licenceText({ name, version, license, path }: PackageManifest & { path: string }): string {
  const folder = inProject(path)
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one))
  const text = file
    ? readFileSync(join(folder, file), 'utf8').trim()
    : `Its package names the licence ${license ?? 'nowhere'}.`
  return chapter(`${name} ${version}${license ? ` (${license})` : ''}`, text)
}

/** A licence with a heading, in a file of several. */
export const chapter = (title: string, text: string): string =>
  `${'='.repeat(78)}\n${title}\n${'='.repeat(78)}\n\n${text}\n`

/** Chromium's page of licences as a text. */
export const textOfPage = (html: string): string =>
  html
    .replace(/<(style|script|title)\b[\s\S]*?<\/\1>|<[^>]+>/g, '')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name] ?? '')
    .replace(/\n\s*\n\s*\n+/g, '\n\n')
    .trim()

const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/**
 * Puts an SBOM and all licences beside a package.
 *
 * @param from the folder with the `contentFiles`
 * @param more licences of what isn't an npm package
 * @returns their paths
 */
export function putBeside(name: string, from: string, more: string): string[] {
  const bom = inProject('out/package', `${name}.cdx.json`)
  const licences = inProject('out/package', `${name}-licences.txt`)
  writeFileSync(bom, readFileSync(join(from, contentFiles.bom)))
  writeFileSync(licences, `${readFileSync(join(from, contentFiles.licences), 'utf8')}\n${more}`)
  return [bom, licences]
}

const published = /\.(?:deb|rpm|tar\.gz|tgz|AppImage|dmg|exe|cdx\.json)$|-licences\.txt$/

/** Writes SHA256SUMS of all that is for publishing in out/package, as sha256sum --check reads it. */
export async function writeChecksums(): Promise<string> {
  const folder = inProject('out/package')
  const lines = []
  for (const name of readdirSync(folder)
    .filter((one) => published.test(one))
    .sort()) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, name)), hash)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  const target = join(folder, 'SHA256SUMS')
  writeFileSync(target, lines.join(''))
  return target
}
