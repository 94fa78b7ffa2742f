import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execa } from 'execa'
import manifest from '../../../package.json' with { type: 'json' }
import { inProject } from '../base/paths.mjs'
import { commitDate, debianArchitecture, debianChangelog, place, writeSums } from './linux'

/**
 * Makes the service's deb: program, systemd unit, and a user with a data folder.
 *
 * @param folder the packaged service
 * @returns path of the deb
 */
export async function makeServiceDeb(folder: string): Promise<string> {
  const name = 'slipway-service'
  const date = await commitDate()
  const root = inProject('out/package/service-deb')
  rmSync(root, { recursive: true, force: true })
  const program = join(root, 'usr/lib', name)
  mkdirSync(program, { recursive: true })
  cpSync(folder, program, { recursive: true })

  const unit = readFileSync(join(program, 'recipes', `${name}.service`), 'utf8')
  const units = join(root, 'lib/systemd/system')
  mkdirSync(units, { recursive: true })
  // Its comment is for those who follow the recipe by hand.
  writeFileSync(
    join(units, `${name}.service`),
    unit.slice(unit.indexOf('[Unit]')).replace(`/opt/${name}`, `/usr/lib/${name}`),
  )
  const application = { name, date }
  place(join(root, 'usr/share/doc', name, 'copyright'), 'linux/service-copyright', application)
  place(join(root, 'usr/share/lintian/overrides', name), 'linux/service-lintian', application)
  writeFileSync(
    join(root, 'usr/share/doc', name, 'changelog.gz'),
    gzipSync(debianChangelog(name, date), { level: 9 }),
  )
  const { stdout: size } = await execa('du', ['-sk', root])
  place(join(root, 'DEBIAN/control'), 'linux/service-control', application, { SIZE: size.split('\t')[0]! })
  for (const script of ['postinst', 'prerm', 'postrm']) {
    place(join(root, 'DEBIAN', script), `linux/service-${script}`, application, {}, 0o755)
  }
  await execa('chmod', ['-R', 'u=rwX,go=rX', root])
  await writeSums(root)
  const file = inProject('out/package', `${name}_${manifest.version}_${debianArchitecture()}.deb`)
  await execa('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', root, file], {
    env: { SOURCE_DATE_EPOCH: String(date) },
  })
  return file
}
