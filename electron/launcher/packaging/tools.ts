import { findProgram, installPackages } from '../setup/system-libraries.mjs'

/** Programs that make packages and repositories, by Debian's package. */
const tools = {
  deb: { 'dpkg-deb': 'dpkg' },
  rpm: { rpmbuild: 'rpm' },
  tar: { tar: 'tar' },
  repository: { 'apt-ftparchive': 'apt-utils', createrepo_c: 'createrepo-c', gpg: 'gnupg', rpmsign: 'rpm' },
} satisfies Record<string, Record<string, string>>

/**
 * Installs what is missing, or rejects with the one command that does.
 *
 * @param formats that will be made
 */
export async function ensureTools(
  formats: readonly ('deb' | 'rpm' | 'tar')[],
  { repository }: { repository?: string },
): Promise<void> {
  const wanted: Record<string, string> = Object.assign(
    {},
    ...formats.map((format) => tools[format]),
    repository ? tools.repository : {},
  ) as Record<string, string>
  const missing = Object.keys(wanted).filter((program) => !findProgram(program))
  if (missing.length === 0) return
  await installPackages(
    'what makes packages',
    missing,
    missing.map((program) => wanted[program]!),
  )
}
