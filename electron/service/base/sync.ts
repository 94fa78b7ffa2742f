import { open } from 'node:fs/promises'

/** Waits until a file's content is on the disk. */
export const syncFile = (path: string): Promise<void> => syncOpened(path, 'r+')

/** Waits until the names in a folder are on the disk. */
export async function syncFolder(path: string): Promise<void> {
  // Windows has no such call for a folder, and can't even open one.
  if (process.platform !== 'win32') await syncOpened(path, 'r')
}

async function syncOpened(path: string, flags: 'r' | 'r+'): Promise<void> {
  const opened = await open(path, flags)
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}
