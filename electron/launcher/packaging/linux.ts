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
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execa } from 'execa'
import manifest from '../../../package.json' with { type: 'json' }
import { inProject } from '../base/paths.mjs'

/** What a package of the application is made from. */
export interface Application {
  /** "slipway", or "slipway-trial" on the trial engine: of the package, its command and its data. */
  name: string
  /** The unpacked application, as electron-builder leaves it. */
  folder: string
  /** Seconds since 1970: of the commit. Each file gets it, so that the same commit gives the same package. */
  date: number
}

export type Format = 'deb' | 'rpm' | 'tar'

/** The files that a package adds to the application's own folder: template in resources/linux, place, mode. */
const files = (name: string): readonly { from: string; to: string }[] => [
  { from: 'linux/desktop', to: `usr/share/applications/${name}.desktop` },
  { from: 'linux/metainfo.xml', to: `usr/share/metainfo/${name}.metainfo.xml` },
  { from: 'linux/apparmor', to: `usr/lib/${name}/apparmor` },
  { from: 'icon.png', to: `usr/share/icons/hicolor/512x512/apps/${name}.png` },
  { from: 'window-icon.png', to: `usr/share/icons/hicolor/128x128/apps/${name}.png` },
  { from: 'icon.svg', to: `usr/share/icons/hicolor/scalable/apps/${name}.svg` },
]

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
  inWorkFolder((work) => makeIn(work, format, application))

async function makeIn(work: string, format: Format, application: Application): Promise<string> {
  const { name, date } = application
  const environment = { SOURCE_DATE_EPOCH: String(date) }
  if (format === 'tar') {
    const top = `${name}-${manifest.version}`
    copyApplication(application, join(work, top), format)
    const file = inProject('out/package', `${top}-linux-${process.arch}.tar.gz`)
    await execa('tar', [
      ...[
        '--sort=name',
        `--mtime=@${date}`,
        '--owner=0',
        '--group=0',
        '--numeric-owner',
        '--use-compress-program=gzip -n',
      ],
      ...['-cf', file, '-C', work, top],
    ])
    return file
  }

  const root = join(work, 'root')
  copyApplication(application, join(root, 'usr/lib', name), format)
  // Where the system has no user namespaces, Chromium's sandbox needs root.
  chmodSync(join(root, 'usr/lib', name, 'chrome-sandbox'), 0o4755)
  await execa('find', [join(root, 'usr/lib', name), '-name', '*.so*', '-exec', 'chmod', '644', '{}', '+'])
  for (const { from, to } of files(name)) place(join(root, to), from, application)
  mkdirSync(join(root, 'usr/bin'), { recursive: true })
  await execa('ln', ['-s', `../lib/${name}/slipway`, join(root, 'usr/bin', name)])
  return format === 'deb'
    ? makeDeb(application, root, environment)
    : makeRpm(application, root, work, environment)
}

/** The application with the file that says how it was installed. */
function copyApplication({ folder }: Application, target: string, format: Format): void {
  mkdirSync(dirname(target), { recursive: true })
  cpSync(folder, target, { recursive: true, verbatimSymlinks: true })
  writeFileSync(join(target, 'resources/package-type'), `${format}\n`)
}

async function makeDeb(application: Application, root: string, env: Record<string, string>): Promise<string> {
  const { name, date } = application
  const documents = join(root, 'usr/share/doc', name)
  place(join(documents, 'copyright'), 'linux/copyright', application)
  place(join(root, 'usr/share/lintian/overrides', name), 'linux/lintian', application)
  writeFileSync(join(documents, 'changelog.gz'), gzipSync(debianChangelog(name, date), { level: 9 }))
  const { stdout: size } = await execa('du', ['-sk', root])
  const values = { SIZE: size.split('\t')[0] ?? '0' }
  place(join(root, 'DEBIAN/control'), 'linux/control', application, values)
  place(join(root, 'DEBIAN/postinst'), 'linux/after-install', application, {}, 0o755)
  place(join(root, 'DEBIAN/postrm'), 'linux/after-remove', application, {}, 0o755)
  await writeSums(root)
  const file = inProject('out/package', `${name}_${manifest.version}_${debianArchitecture()}.deb`)
  await execa('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', root, file], { env })
  return file
}

async function makeRpm(
  application: Application,
  root: string,
  work: string,
  env: Record<string, string>,
): Promise<string> {
  const { name } = application
  const listed = [
    `/usr/bin/${name}`,
    `/usr/lib/${name}`,
    ...files(name)
      .map(({ to }) => `/${to}`)
      .filter((path) => !path.startsWith('/usr/lib/')),
  ]
  const spec = join(work, `${name}.spec`)
  place(spec, 'linux/spec', application, {
    FILES: listed.join('\n'),
    AFTER_INSTALL: fill(template('linux/after-install'), application).replace(/^#!.*\n/, ''),
    AFTER_REMOVE: fill(template('linux/after-remove'), application).replace(/^#!.*\n/, ''),
  })
  await execa(
    'rpmbuild',
    [
      ...['-bb', '--buildroot', root, '--target', process.arch === 'arm64' ? 'aarch64' : 'x86_64'],
      ...['--define', `_topdir ${join(work, 'rpmbuild')}`, '--define', `_rpmdir ${work}`],
      ...['--define', '_binary_payload w3T0.zstdio', '--define', '_buildhost localhost'],
      ...[
        '--define',
        'use_source_date_epoch_as_buildtime 1',
        '--define',
        'clamp_mtime_to_source_date_epoch 1',
      ],
      // rpmbuild would empty the build root first.
      ...['--noclean', '--define', '__spec_install_pre :', spec],
    ],
    { env },
  )
  const made = readdirSync(work, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.rpm'))
  if (!made) throw new Error('rpmbuild made no package.')
  const file = inProject('out/package', made.split('/').at(-1)!)
  copyFileSync(join(work, made), file)
  return file
}

/** When the checkout was committed, in seconds since 1970; now, without git. */
export async function commitDate(): Promise<number> {
  const { stdout } = await execa('git', ['log', '-1', '--format=%ct'], { cwd: inProject(), reject: false })
  return Number(process.env.SOURCE_DATE_EPOCH ?? (stdout || Math.floor(Date.now() / 1_000)))
}

export const debianArchitecture = (): string => (process.arch === 'x64' ? 'amd64' : process.arch)

/** A changelog as Debian wants one; the project's own tells the rest. */
export function debianChangelog(name: string, date: number): string {
  const day = new Date(date * 1_000).toUTCString().replace('GMT', '+0000')
  return `${name} (${manifest.version}) stable; urgency=medium\n\n  * See the project's changelog.\n\n -- The Slipway developers <slipway@localhost>  ${day}\n`
}

/** Writes DEBIAN/md5sums, which dpkg --verify reads. */
export async function writeSums(root: string): Promise<void> {
  const { stdout } = await execa(
    'find . -path ./DEBIAN -prune -o -type f -print0 | sort -z | xargs -0 md5sum',
    {
      cwd: root,
      shell: true,
    },
  )
  writeFileSync(join(root, 'DEBIAN/md5sums'), `${stdout.replaceAll('  ./', '  ')}\n`)
}

const template = (path: string): string => readFileSync(inProject('resources', path), 'utf8')

/** A template with the application's values in it. */
function fill(
  text: string,
  { name, date }: Omit<Application, 'folder'>,
  more: Record<string, string> = {},
): string {
  const isTrial = name.endsWith('-trial')
  const values: Record<string, string> = {
    NAME: name,
    TITLE: isTrial ? 'Slipway (trial)' : 'Slipway',
    VERSION: manifest.version,
    DATE: new Date(date * 1_000).toISOString().slice(0, 10),
    DEB_ARCH: debianArchitecture(),
    DESCRIPTION: isTrial ? '\n .\n This package has an engine without security fixes, and is for tests.' : '',
    LICENSE: debianLicense(),
    ...more,
  }
  return text.replace(/@([A-Z_]+)@/g, (sign, key: string) => values[key] ?? sign)
}

/** The licence as a paragraph of Debian's copyright file. */
const debianLicense = (): string =>
  `License: MIT\n${readFileSync(inProject('LICENSE'), 'utf8')
    .trim()
    .split('\n')
    .slice(4)
    .map((line) => (line === '' ? ' .' : ` ${line}`))
    .join('\n')}`

/** Puts a file of resources/ into a package, with its values filled in where it is a text. */
export function place(
  target: string,
  from: string,
  application: Omit<Application, 'folder'>,
  more: Record<string, string> = {},
  mode = 0o644,
): void {
  mkdirSync(dirname(target), { recursive: true })
  if (from.endsWith('.png')) copyFileSync(inProject('resources', from), target)
  else writeFileSync(target, fill(template(from), application, more))
  chmodSync(target, mode)
}
