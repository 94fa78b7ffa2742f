import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { execa } from 'execa'
import { withProgress } from '../base/progress.mjs'
import { findProgram } from '../setup/system-libraries.mjs'

/** A static repository, and gpg's name of the key that signs it. */
export interface Repository {
  repository?: string
  sign?: string
}

/** Throws if only one of both is there. */
export function checkRepository({ repository, sign }: Repository): void {
  if (Boolean(repository) !== Boolean(sign))
    throw new Error('--repository needs --sign, and the other way round')
}

/** Adds packages to the repository, if there is one. */
export async function publish(
  packages: readonly string[],
  { repository: folder, sign: key }: Repository,
): Promise<void> {
  if (!folder || !key) return
  await withProgress('Writing the repository', () => writeRepository(resolve(folder), packages, key))
}

/**
 * Writes a static repository for apt and dnf, signed with a key of gpg's keyring: `apt`, `rpm`, and the public key
 * `slipway.asc`. Earlier packages in it stay.
 *
 * @param packages files of which the debs and rpms are added
 * @param key gpg's name of the key
 */
async function writeRepository(folder: string, packages: readonly string[], key: string): Promise<void> {
  const pool = join(folder, 'apt/pool')
  const dist = join(folder, 'apt/dists/stable')
  const rpm = join(folder, 'rpm')
  for (const path of [pool, dist, rpm]) mkdirSync(path, { recursive: true })
  const ending = (end: string): string[] => packages.filter((file) => file.endsWith(end))
  for (const file of ending('.deb')) copyFileSync(file, join(pool, basename(file)))
  for (const file of ending('.rpm')) copyFileSync(file, join(rpm, basename(file)))

  const { stdout: publicKey } = await execa('gpg', ['--armor', '--export', key])
  writeFileSync(join(folder, 'slipway.asc'), `${publicKey}\n`)

  const apt = { cwd: join(folder, 'apt') }
  const architectures = [...new Set(readdirSync(pool).map((file) => /_(\w+)\.deb$/.exec(file)![1]!))]
  for (const architecture of architectures) {
    const binary = join(dist, `main/binary-${architecture}`)
    mkdirSync(binary, { recursive: true })
    const { stdout } = await execa('apt-ftparchive', ['--arch', architecture, 'packages', 'pool'], apt)
    writeFileSync(join(binary, 'Packages'), `${stdout}\n`)
    await execa('gzip', ['--keep', '--force', '--no-name', join(binary, 'Packages')])
  }
  for (const name of ['Release', 'InRelease', 'Release.gpg']) rmSync(join(dist, name), { force: true })
  const options = Object.entries({
    Origin: 'Slipway',
    Label: 'Slipway',
    Suite: 'stable',
    Codename: 'stable',
    Components: 'main',
    Architectures: architectures.join(' '),
  }).flatMap(([name, value]) => ['-o', `APT::FTPArchive::Release::${name}=${value}`])
  const { stdout: release } = await execa('apt-ftparchive', [...options, 'release', 'dists/stable'], apt)
  writeFileSync(join(dist, 'Release'), `${release}\n`)
  const sign = ['--batch', '--yes', '--local-user', key, '--armor']
  await execa('gpg', [...sign, '--clearsign', '--output', join(dist, 'InRelease'), join(dist, 'Release')])
  await execa('gpg', [...sign, '--detach-sign', '--output', join(dist, 'Release.gpg'), join(dist, 'Release')])

  // rpm may look for gpg elsewhere.
  const signer = ['--define', `_gpg_name ${key}`, '--define', `__gpg ${findProgram('gpg')}`]
  for (const file of ending('.rpm'))
    await execa('rpmsign', [...signer, '--addsign', join(rpm, basename(file))])
  await execa('createrepo_c', [rpm])
  const metadata = join(rpm, 'repodata/repomd.xml')
  await execa('gpg', [...sign, '--detach-sign', '--output', `${metadata}.asc`, metadata])
}
