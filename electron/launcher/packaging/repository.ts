import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { debianArchitecture } from './linux'

/** Programs that make a repository, by Debian's package. */
export const repositoryTools = {
  'apt-ftparchive': 'apt-utils',
  createrepo_c: 'createrepo-c',
  gpg: 'gnupg',
  rpmsign: 'rpm',
}

/**
 * Writes a static repository for apt and dnf, signed with a key of gpg's keyring: `apt`, `rpm`, and the public key
 * `slipway.asc`. Earlier packages in it stay.
 *
 * @param packages deb and rpm files to add
 * @param key gpg's name of the key
 */
export async function writeRepository(
  folder: string,
  packages: readonly string[],
  key: string,
): Promise<void> {
  const pool = join(folder, 'apt/pool')
  const dist = join(folder, 'apt/dists/stable')
  const architecture = debianArchitecture()
  const binary = join(dist, `main/binary-${architecture}`)
  const rpm = join(folder, 'rpm')
  for (const path of [pool, binary, rpm]) mkdirSync(path, { recursive: true })
  for (const file of packages) copyFileSync(file, join(file.endsWith('.rpm') ? rpm : pool, basename(file)))

  const { stdout: publicKey } = await execa('gpg', ['--armor', '--export', key])
  writeFileSync(join(folder, 'slipway.asc'), `${publicKey}\n`)

  const apt = { cwd: join(folder, 'apt') }
  const { stdout: index } = await execa('apt-ftparchive', ['packages', 'pool'], apt)
  writeFileSync(join(binary, 'Packages'), `${index}\n`)
  await execa('gzip', ['--keep', '--force', '--no-name', join(binary, 'Packages')])
  for (const name of ['Release', 'InRelease', 'Release.gpg']) rmSync(join(dist, name), { force: true })
  const options = Object.entries({
    Origin: 'Slipway',
    Label: 'Slipway',
    Suite: 'stable',
    Codename: 'stable',
    Components: 'main',
    Architectures: architecture,
  }).flatMap(([name, value]) => ['-o', `APT::FTPArchive::Release::${name}=${value}`])
  const { stdout: release } = await execa('apt-ftparchive', [...options, 'release', 'dists/stable'], apt)
  writeFileSync(join(dist, 'Release'), `${release}\n`)
  const sign = ['--batch', '--yes', '--local-user', key, '--armor']
  await execa('gpg', [...sign, '--clearsign', '--output', join(dist, 'InRelease'), join(dist, 'Release')])
  await execa('gpg', [...sign, '--detach-sign', '--output', join(dist, 'Release.gpg'), join(dist, 'Release')])

  for (const file of packages.filter((path) => path.endsWith('.rpm'))) {
    await execa('rpmsign', ['--define', `_gpg_name ${key}`, '--addsign', join(rpm, basename(file))])
  }
  await execa('createrepo_c', [rpm])
  const metadata = join(rpm, 'repodata/repomd.xml')
  await execa('gpg', [...sign, '--detach-sign', '--output', `${metadata}.asc`, metadata])
}
