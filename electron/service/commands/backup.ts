import { archivesIn } from '../base/archives-in'
import type { CommandOutput } from './keys'
import { backUp, restore } from '../database/sqlite/backup'

/** Backs up the database in a folder to a file. */
export async function writeBackup(folder: string, file: string): Promise<CommandOutput> {
  await backUp(folder, file)
  return {
    lines: [],
    remark:
      `Wrote ${file}, and its checksum beside it. It has the keys' hashes and all deployments, but no archives: ` +
      `copy ${archivesIn(folder)}, or the folder of --archives, too.`,
  }
}

/** Restores a backup into a folder. */
export async function restoreBackup(file: string, folder: string): Promise<CommandOutput> {
  const isChecked = await restore(file, folder)
  const unchecked = isChecked ? '' : ` There was no ${file}.sha256, so only its structure was checked.`
  return {
    lines: [],
    remark:
      `Restored ${file} into ${folder}.${unchecked} Keys are as they were then: ` +
      `revoke again those that were revoked since. Copy the archives into ${archivesIn(folder)}.`,
  }
}
