import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execa } from 'execa'
import manifest from '../../../package.json' with { type: 'json' }
import { inProject } from '../base.mjs'

/** What a package is made from. */
interface Program {
  /** "slipway", or "slipway-trial" on the trial engine: of the package, its command and its data. */
  name: string
  /** Seconds since 1970: of the commit. Each file gets it, so that the same commit gives the same package. */
  date: number
}

interface Application extends Program {
  /** The unpacked application, as electron-builder leaves it. */
  folder: string
}

type Format = 'deb' | 'rpm' | 'tar'

/** The programs that make packages, by Debian's package. */
export const programs = {
  deb: { 'dpkg-deb': 'dpkg' },
  rpm: { rpmbuild: 'rpm' },
  tar: { tar: 'tar' },
} satisfies Record<Format, Record<string, string>>

/** The files that a package adds to the application's own folder: by their places, what in resources/ they come from. */
const files = (name: string): Record<string, string> => ({
  [`usr/share/applications/${name}.desktop`]: 'linux/desktop',
  [`usr/share/metainfo/${name}.metainfo.xml`]: 'linux/metainfo.xml',
  [`usr/lib/${name}/apparmor`]: 'linux/apparmor',
  [`usr/share/icons/hicolor/512x512/apps/${name}.png`]: 'icon.png',
  [`usr/share/icons/hicolor/128x128/apps/${name}.png`]: 'window-icon.png',
  [`usr/share/icons/hicolor/scalable/apps/${name}.svg`]: 'icon.svg',
})

/** Works in a folder beside the packages, which is removed afterwards. */
export async function inWorkFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  mkdirSync(inProject('out/package'), { recursive: true })
  const folder = mkdtempSync(inProject('out/package', 'making-'))
  try {
    // Folders of a package are for everybody.
    chmodSync(folder, 0o755)
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Makes a package.
 *
 * @returns its path
 */
export const makePackage = (format: Format, application: Application): Promise<string> =>
  inWorkFolder(async (work) => {
    const { name, date } = application
    if (format === 'tar') {
      const top = `${name}-${manifest.version}`
      copyApplication(application, join(work, top), format)
      const file = inProject('out/package', `${top}-linux-${process.arch}.tar.gz`)
      await execa('tar', [
        ...['--sort=name', `--mtime=@${date}`, '--owner=0', '--group=0', '--numeric-owner'],
        ...['--use-compress-program=gzip -n', '-cf', file, '-C', work, top],
      ])
      return file
    }

    const root = join(work, 'root')
    const program = join(root, 'usr/lib', name)
    copyApplication(application, program, format)
    // Where the system has no user namespaces, Chromium's sandbox needs root.
    chmodSync(join(program, 'chrome-sandbox'), 0o4755)
    await execa('find', [program, '-name', '*.so*', '-exec', 'chmod', '644', '{}', '+'])
    for (const [to, from] of Object.entries(files(name))) place(join(root, to), from, application)
    mkdirSync(join(root, 'usr/bin'), { recursive: true })
    await execa('ln', ['-s', `../lib/${name}/slipway`, join(root, 'usr/bin', name)])
    if (format === 'rpm') return makeRpm(application, root, work)
    const scripts = { postinst: 'after-install', postrm: 'after-remove' }
    return makeDeb(application, root, { templates: 'linux/', scripts })
  })

/** The application with the file that says how it was installed. */
function copyApplication({ folder }: Application, target: string, format: Format): void {
  mkdirSync(dirname(target), { recursive: true })
  cpSync(folder, target, { recursive: true, verbatimSymlinks: true })
  writeFileSync(join(target, 'resources/package-type'), `${format}\n`)
}

/**
 * Makes a deb of what is in `root`.
 *
 * @param templates what in resources/ the names of its templates begin with
 * @param scripts templates of what it runs, by the scripts' names
 * @returns its path
 */
export async function makeDeb(
  application: Program,
  root: string,
  { templates, scripts }: { templates: string; scripts: Record<string, string> },
): Promise<string> {
  const { name, date } = application
  const documents = join(root, 'usr/share/doc', name)
  place(join(documents, 'copyright'), `${templates}copyright`, application)
  place(join(root, 'usr/share/lintian/overrides', name), `${templates}lintian`, application)
  // As Debian wants one; the project's own changelog tells the rest.
  const day = new Date(date * 1_000).toUTCString().replace('GMT', '+0000')
  const changelog = `${name} (${manifest.version}) stable; urgency=medium\n\n  * See the project's changelog.\n\n -- The Slipway developers <slipway@localhost>  ${day}\n`
  writeFileSync(join(documents, 'changelog.gz'), gzipSync(changelog, { level: 9 }))
  const { stdout: size } = await execa('du', ['-sk', root])
  place(join(root, 'DEBIAN/control'), `${templates}control`, application, { SIZE: size.split('\t')[0]! })
  for (const [script, template] of Object.entries(scripts)) {
    place(join(root, 'DEBIAN', script), `${templates}${template}`, application, {}, 0o755)
  }
  // dpkg --verify reads them.
  const sums =
    'find . -path ./DEBIAN -prune -o -type f -printf "%P\\0" | sort -z | xargs -0 md5sum > DEBIAN/md5sums'
  await execa(sums, { cwd: root, shell: true })
  const file = inProject('out/package', `${name}_${manifest.version}_${debianArchitecture}.deb`)
  await execa('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', root, file], {
    env: { SOURCE_DATE_EPOCH: String(date) },
  })
  return file
}

async function makeRpm(application: Application, root: string, work: string): Promise<string> {
  const { name, date } = application
  const listed = [`usr/bin/${name}`, `usr/lib/${name}`, ...Object.keys(files(name))]
  const spec = join(work, `${name}.spec`)
  const script = (from: string): string => fill(template(from), application).replace(/^#!.*\n/, '')
  place(spec, 'linux/spec', application, {
    FILES: listed
      .filter((path) => !path.startsWith(`usr/lib/${name}/`))
      .map((path) => `/${path}`)
      .join('\n'),
    AFTER_INSTALL: script('linux/after-install'),
    AFTER_REMOVE: script('linux/after-remove'),
  })
  const defines = [
    `_topdir ${join(work, 'rpmbuild')}`,
    `_rpmdir ${work}`,
    '_binary_payload w3T0.zstdio',
    '_buildhost localhost',
    'use_source_date_epoch_as_buildtime 1',
    'clamp_mtime_to_source_date_epoch 1',
    // rpmbuild would empty the build root first.
    '__spec_install_pre :',
  ].flatMap((define) => ['--define', define])
  const target = process.arch === 'arm64' ? 'aarch64' : 'x86_64'
  await execa('rpmbuild', ['-bb', '--buildroot', root, '--target', target, ...defines, '--noclean', spec], {
    env: { SOURCE_DATE_EPOCH: String(date) },
  })
  const made = readdirSync(work, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.rpm'))!
  const file = inProject('out/package', basename(made))
  copyFileSync(join(work, made), file)
  return file
}

/** When the checkout was committed, in seconds since 1970; now, without git. */
export async function commitDate(): Promise<number> {
  const { stdout } = await execa('git', ['log', '-1', '--format=%ct'], { cwd: inProject(), reject: false })
  return Number(process.env.SOURCE_DATE_EPOCH ?? (stdout || Math.floor(Date.now() / 1_000)))
}

const debianArchitecture = process.arch === 'x64' ? 'amd64' : process.arch

const template = (path: string): string => readFileSync(inProject('resources', path), 'utf8')

/** A template with the application's values in it. */
function fill(text: string, { name, date }: Program, more: Record<string, string> = {}): string {
  const isTrial = name.endsWith('-trial')
  // As a paragraph of Debian's copyright file.
  const [, , , , ...licence] = readFileSync(inProject('LICENSE'), 'utf8').trim().split('\n')
  const values: Record<string, string> = {
    NAME: name,
    TITLE: isTrial ? 'Slipway (trial)' : 'Slipway',
    VERSION: manifest.version,
    DATE: new Date(date * 1_000).toISOString().slice(0, 10),
    DEB_ARCH: debianArchitecture,
    DESCRIPTION: isTrial ? '\n .\n This package has an engine without security fixes, and is for tests.' : '',
    LICENSE: ['License: MIT', ...licence.map((line) => ` ${line || '.'}`)].join('\n'),
    ...more,
  }
  return text.replace(/@([A-Z_]+)@/g, (sign, key: string) => values[key] ?? sign)
}

/** Puts a file of resources/ into a package, with its values filled in where it is a text. */
export function place(
  target: string,
  from: string,
  application: Program,
  more: Record<string, string> = {},
  mode = 0o644,
): void {
  mkdirSync(dirname(target), { recursive: true })
  if (from.endsWith('.png')) copyFileSync(inProject('resources', from), target)
  else writeFileSync(target, fill(template(from), application, more))
  chmodSync(target, mode)
}
