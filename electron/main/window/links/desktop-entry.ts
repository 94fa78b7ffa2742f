import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { type Files, nodeFiles } from '../../files'
import { writeAtomically } from '../../files/atomic-write'

/** The desktop file's name: the application's, as `package.json` has it. */
export const desktopFileName = 'slipway.desktop'

/** The first line of a file that Slipway wrote. Anything else at its place is the user's, and stays. */
const mark = '# Slipway writes this file.'

/**
 * Writes this user's desktop file, which tells a Linux desktop that Slipway opens its links. If a package has installed
 * one for all users, Slipway's own would hide it and is removed. Gives whether a file was written, because the desktop
 * must then be notified. Rejects as the file system does.
 */
export async function writeDesktopEntry(
  program: string,
  variables: NodeJS.ProcessEnv = process.env,
  files: Files = nodeFiles,
): Promise<boolean> {
  const folder = join(dataFolder(variables), 'applications')
  const path = join(folder, desktopFileName)
  const before = (await files.read(path))?.toString('utf8')
  if (before !== undefined && !before.startsWith(mark)) return false
  if (await isInstalled(variables, folder, files)) {
    await files.remove(path)
    return false
  }
  const entry = desktopEntry(program)
  if (entry === null || entry === before) return false
  await files.makeFolder(folder)
  await writeAtomically(path, entry, files)
  return true
}

/** Removes the desktop file that `writeDesktopEntry` wrote, so that the next start writes it again. */
export async function removeDesktopEntry(
  variables: NodeJS.ProcessEnv = process.env,
  files: Files = nodeFiles,
): Promise<void> {
  await files.remove(join(dataFolder(variables), 'applications', desktopFileName))
}

/**
 * The content of the desktop file (freedesktop.org, Desktop Entry Specification); null for a path that none can name:
 * one with an equals sign by the specification, one with a per cent sign by GLib, which looks for the program before it
 * reads it. Without the program, as after it was moved or deleted, the file counts for nothing (`TryExec`). The
 * argument "--" keeps a link from being read as a switch.
 */
function desktopEntry(program: string): string | null {
  if (!isAbsolute(program) || /[=%\p{Cc}]/u.test(program)) return null
  const quoted = program.replace(/["`$\\]/g, '\\$&')
  return [
    mark,
    '[Desktop Entry]',
    'Type=Application',
    'Name=Slipway',
    'Comment=Opens links of Slipway',
    `TryExec=${escaped(program)}`,
    `Exec=${escaped(`"${quoted}"`)} -- %u`,
    'MimeType=x-scheme-handler/slipway;',
    'NoDisplay=true',
    'Terminal=false',
    '',
  ].join('\n')
}

/** A text as the value of a key. */
const escaped = (text: string): string => text.replaceAll('\\', '\\\\')

/** Whether a folder but `own` has one. Some profiles name the user's own data folder among those for everybody. */
async function isInstalled(
  { XDG_DATA_DIRS }: NodeJS.ProcessEnv,
  own: string,
  files: Files,
): Promise<boolean> {
  const folders = (XDG_DATA_DIRS || '/usr/local/share:/usr/share')
    .split(':')
    .filter(isAbsolute)
    .map((folder) => join(folder, 'applications'))
    .filter((folder) => folder !== own)
  const names = await Promise.all(folders.map((folder) => files.list(folder).catch((): string[] => [])))
  return names.some((all) => all.includes(desktopFileName))
}

function dataFolder({ XDG_DATA_HOME = '' }: NodeJS.ProcessEnv): string {
  return isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(homedir(), '.local/share')
}
