import { createPrivateKey, sign } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { execa } from 'execa'
import manifest from '../../../package.json' with { type: 'json' }
import type { Release } from '../../contract/ipc/calls/own'
import { inProject, withProgress } from '../base.mjs'
import { findProgram } from '../system'

/** Options of a static repository that packages are added to. */
export interface Repository {
  repository?: string
  sign?: string
}

/** Adds the options of a repository to a command. */
export const withRepository = (command: Command): Command =>
  command
    .option('--repository <folder>', 'adds the deb and the rpm to a static repository for apt and dnf')
    .option('--sign <keyid>', "the key of gpg's keyring that signs the repository")

/** Whether only one of both options is there. */
export const isIncomplete = ({ repository, sign: key }: Repository): boolean => !repository !== !key

/** The programs that write a repository, by Debian's package. */
export const repositoryPrograms = {
  'apt-ftparchive': 'apt-utils',
  createrepo_c: 'createrepo-c',
  gpg: 'gnupg',
  rpmsign: 'rpm',
}

/**
 * Adds packages to the repository, if there is one: `apt`, `rpm`, and the public key `slipway.asc`. Earlier packages in
 * it stay.
 *
 * @param packages files of which the debs and rpms are added
 */
export async function publish(
  packages: readonly string[],
  { repository, sign: key }: Repository,
): Promise<void> {
  if (!repository || !key) return
  const folder = resolve(repository)
  await withProgress('Writing the repository', async () => {
    const { stdout: publicKey } = await execa('gpg', ['--armor', '--export', key])
    const gpg = ['--batch', '--yes', '--local-user', key, '--armor']
    await writeApt(join(folder, 'apt'), packages, gpg)
    await writeRpm(join(folder, 'rpm'), packages, gpg, key)
    writeFileSync(join(folder, 'slipway.asc'), `${publicKey}\n`)
  })
}

/** @param gpg its arguments for a signature */
async function writeApt(folder: string, packages: readonly string[], gpg: readonly string[]): Promise<void> {
  const pool = join(folder, 'pool')
  const dist = join(folder, 'dists/stable')
  addTo(pool, packages, '.deb')
  const cwd = { cwd: folder }
  const architectures = [...new Set(readdirSync(pool).map((file) => /_(\w+)\.deb$/.exec(file)![1]!))]
  for (const architecture of architectures) {
    const binary = join(dist, `main/binary-${architecture}`)
    mkdirSync(binary, { recursive: true })
    const { stdout } = await execa('apt-ftparchive', ['--arch', architecture, 'packages', 'pool'], cwd)
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
  const { stdout } = await execa('apt-ftparchive', [...options, 'release', 'dists/stable'], cwd)
  const release = join(dist, 'Release')
  writeFileSync(release, `${stdout}\n`)
  await execa('gpg', [...gpg, '--clearsign', '--output', join(dist, 'InRelease'), release])
  await execa('gpg', [...gpg, '--detach-sign', '--output', `${release}.gpg`, release])
}

async function writeRpm(
  folder: string,
  packages: readonly string[],
  gpg: readonly string[],
  key: string,
): Promise<void> {
  // rpm may look for gpg elsewhere.
  const signer = ['--define', `_gpg_name ${key}`, '--define', `__gpg ${findProgram('gpg')}`, '--addsign']
  for (const file of addTo(folder, packages, '.rpm')) await execa('rpmsign', [...signer, file])
  await execa('createrepo_c', [folder])
  const metadata = join(folder, 'repodata/repomd.xml')
  await execa('gpg', [...gpg, '--detach-sign', '--output', `${metadata}.asc`, metadata])
}

/** Copies the packages of a kind into a folder, and returns their paths there. */
function addTo(folder: string, packages: readonly string[], end: string): string[] {
  mkdirSync(folder, { recursive: true })
  return packages
    .filter((file) => file.endsWith(end))
    .map((file) => {
      const target = join(folder, basename(file))
      copyFileSync(file, target)
      return target
    })
}

/**
 * Writes out/package/latest.json, which the update address is to answer for this version.
 *
 * @param keyFile the publisher's private key for Ed25519, as PEM
 * @param date seconds since 1970
 */
export function writeRelease(keyFile: string, notes: string, date: number): string {
  const { version } = manifest
  const file = inProject('out/package/latest.json')
  const release = { version, date: new Date(date * 1_000).toISOString(), notes, minimum: '0.0.0' }
  writeFileSync(file, signRelease(release, readFileSync(keyFile, 'utf8')))
  return file
}

/** A release with the publisher's signature of its exact text. The key is PEM. */
export function signRelease(release: Release, key: string): string {
  const signed = JSON.stringify(release)
  const signature = sign(null, Buffer.from(signed), createPrivateKey(key)).toString('base64')
  return `${JSON.stringify({ signed, signature }, null, 2)}\n`
}
